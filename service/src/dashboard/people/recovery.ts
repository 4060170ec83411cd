import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import type { Queryable } from '../../database/lane.ts';
import { recordPersonal } from '../auth/events.ts';
import { findLink, useLink } from './links.ts';

/**
 * Recovery of accounts whose password or second factor is lost. Each function is called in a transaction, which it
 * ends with the entries in the log of every workspace of the person.
 */

/** How a new password came to be set, for the audit log. */
type ResetMethod = 'link' | 'operator';

/**
 * Whether an owner may create a reset link for the person. The link lets anyone who holds it in as the person, also the
 * owner, so: the owner owns every workspace of the person, and the person owns none.
 */
export async function mayResetPassword(client: Queryable, ownerId: string, userId: string): Promise<boolean> {
  const { rows } = await client.query<{ allowed: boolean }>(
    `select count(*) > 0 and bool_and(m.role <> 'owner' and o.role is not distinct from 'owner') as allowed
     from members m left join members o on o.workspace_id = m.workspace_id and o.user_id = $1
     where m.user_id = $2`,
    [ownerId, userId],
  );
  return rows[0]?.allowed === true;
}

/** Until the transaction ends the person joins no workspace, and no one else recovers the account. */
export async function lockPerson(client: pg.ClientBase, userId: string): Promise<void> {
  await client.query('select 1 from users where id = $1 for update', [userId]);
}

/** The person of a reset link that may still be used; undefined when it may not. Uses it up. */
export async function takeResetLink(client: pg.ClientBase, token: string): Promise<string | undefined> {
  const found = await findLink(client, 'password-reset', token);
  if (found === undefined || found.subject === null) return undefined;
  // First the person, then the link: a new link that replaces this one locks in the same order.
  await lockPerson(client, found.subject);
  const link = await useLink(client, 'password-reset', token);
  if (link === undefined || link.subject === null) return undefined;
  const allowed = link.madeBy === null || (await mayResetPassword(client, link.madeBy, link.subject));
  return allowed ? link.subject : undefined;
}

/** Sets the password, and ends all sessions, second steps and links of the person. */
export async function resetPassword(
  client: pg.ClientBase,
  by: ActorContext,
  userId: string,
  passwordHash: string,
  method: ResetMethod,
): Promise<void> {
  await client.query(
    `update accounts set password = $2, updated_at = now() where user_id = $1 and provider_id = 'credential'`,
    [userId, passwordHash],
  );
  const sessionsEnded = await endEntrances(client, userId);
  await recordPersonal(client, by, { id: userId }, (target) => ({
    kind: 'account.password_reset',
    target,
    details: { method, sessionsEnded },
  }));
}

/** Removes the second factor, and ends all sessions of the person. Resolves to whether there was one. */
export async function resetSecondFactor(
  client: pg.ClientBase,
  by: ActorContext,
  userId: string,
): Promise<boolean> {
  const { rowCount } = await client.query('delete from second_factors where user_id = $1', [userId]);
  await client.query('update users set two_factor_enabled = false, updated_at = now() where id = $1', [
    userId,
  ]);
  if (rowCount === 0) return false;
  const sessionsEnded = await endEntrances(client, userId);
  await recordPersonal(client, by, { id: userId }, (target) => ({
    kind: 'account.second_factor_reset',
    target,
    details: { sessionsEnded },
  }));
  return true;
}

/** Every way in that was open before; the number of sessions that ended. */
async function endEntrances(client: pg.ClientBase, userId: string): Promise<number> {
  await client.query('delete from verifications where value = $1', [userId]);
  await client.query(
    `delete from one_time_links where subject = $1 and purpose in ('sign-in', 'password-reset')`,
    [userId],
  );
  const { rowCount } = await client.query('delete from sessions where user_id = $1', [userId]);
  return rowCount ?? 0;
}
