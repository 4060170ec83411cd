import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvents } from '../../audit-log/append-event.ts';
import type { EventTarget, NewEvent } from '../../audit-log/entry.ts';

/** The names in the audit log of the sign-in methods, by path of better-auth. */
export const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'authenticator',
  '/two-factor/verify-backup-code': 'backup_code',
};

/** Identifies a person by id or by e-mail address. */
export type PersonKey = { readonly id: string } | { readonly email: string };

/**
 * Logs an event of a person's account or sessions in each workspace of the person. `event` creates the event from the
 * target that names the person. If nobody is signed in, the person is the actor. Logs nothing for a person without an
 * account or a workspace.
 */
export async function recordPersonal(
  client: pg.ClientBase,
  by: ActorContext,
  person: PersonKey,
  event: (target: EventTarget) => NewEvent | undefined,
): Promise<void> {
  const [column, value] = 'id' in person ? (['id', person.id] as const) : (['email', person.email] as const);
  const { rows } = await client.query<{ workspace_id: string; id: string; email: string }>(
    `select m.workspace_id, u.id, u.email from users u join members m on m.user_id = u.id
     where u.${column} = $1 order by m.workspace_id`,
    [value],
  );
  const [first] = rows;
  if (first === undefined) return;
  const { id, email } = first;
  const made = event({ id, label: email });
  if (made === undefined) return;
  await appendEvents(
    client,
    'requestId' in by && by.actor === null ? { ...by, actor: email } : by,
    rows.map(({ workspace_id }) => ({ workspaceId: workspace_id, event: made })),
  );
}
