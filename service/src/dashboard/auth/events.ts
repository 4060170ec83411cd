import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvents } from '../../audit-log/append-event.ts';
import type { NewEvent } from '../../audit-log/entry.ts';
import { statements } from '../../database/statement.ts';

/** The names in the audit log of the sign-in methods, by path of better-auth. */
export const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'authenticator',
  '/two-factor/verify-backup-code': 'backup_code',
};

type PersonalKind = Extract<NewEvent['kind'], `account.${string}` | `session.${string}`>;

/** An event of a person's account or sessions. The person is its target. */
export type PersonalEvent = {
  readonly [Kind in PersonalKind]: Omit<Extract<NewEvent, { readonly kind: Kind }>, 'target'>;
}[PersonalKind];

/** Identifies a person by id or by email address. */
export type PersonKey = { readonly id: string } | { readonly email: string };

const selectWorkspaces = statements('workspaces_of_person', 'request');

/**
 * Logs an event of a person's account or sessions in each workspace of the person. If nobody is signed in, the person is
 * the actor. Logs nothing for a person without an account or a workspace.
 */
export async function recordPersonal(
  client: pg.ClientBase,
  by: ActorContext,
  person: PersonKey,
  event: PersonalEvent,
): Promise<void> {
  const [column, value] = 'id' in person ? (['id', person.id] as const) : (['email', person.email] as const);
  const select = selectWorkspaces(
    `workspaces_by_${column}`,
    `select m.workspace_id as "workspaceId", u.id, u.email as label from users u join members m on m.user_id = u.id
     where u.${column} = $1`,
  );
  const { rows } = await client.query<{ workspaceId: string; id: string; label: string }>(select(value));
  await appendEvents(
    client,
    'requestId' in by && by.actor === null ? { ...by, actor: rows[0]?.label ?? null } : by,
    rows.map(({ workspaceId, id, label }) => ({ workspaceId, event: { ...event, target: { id, label } } })),
  );
}
