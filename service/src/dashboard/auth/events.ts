import type pg from 'pg';
import type { NewEntry } from '../../audit-log/entry.ts';
import { recordEvent } from '../../audit-log/event.ts';

type SignInKind = 'session.signed_in' | 'session.sign_in_failed';
type MemberKind = 'member.invited' | 'member.removed' | 'member.role_changed';

const entry = (kind: NewEntry['kind'], actor: string): NewEntry => ({ kind, actor, keyId: null });

/**
 * Logs a sign-in, or a failed one, in each workspace of the person. Whoever writes to several workspaces' logs
 * takes them in the order of their ids.
 */
export async function recordSignIn(
  client: pg.ClientBase,
  kind: SignInKind,
  person: { readonly id: string } | { readonly email: string },
): Promise<void> {
  const [column, value] = 'id' in person ? (['id', person.id] as const) : (['email', person.email] as const);
  const { rows } = await client.query<{ workspace_id: string; email: string }>(
    `select m.workspace_id, u.email from users u join members m on m.user_id = u.id
     where u.${column} = $1 order by m.workspace_id`,
    [value],
  );
  for (const { workspace_id, email } of rows) await recordEvent(client, workspace_id, entry(kind, email));
}

export const recordMember = (
  client: pg.ClientBase,
  workspaceId: string,
  kind: MemberKind,
  actor: string,
): Promise<void> => recordEvent(client, workspaceId, entry(kind, actor));
