import type pg from 'pg';
import { OPERATOR } from '../../audit-log/actor.ts';
import { OperatorError } from '../../config/errors.ts';
import { inTransaction } from '../../database/pool.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardAuth } from '../auth/index.ts';
import type { Role } from '../auth/permissions.ts';
import { defineBody, newPassword } from '../requests/body.ts';
import { findUser, hashPassword } from './accounts.ts';
import { createPasswordResetLink } from './links.ts';
import { lockPerson, resetPassword, resetSecondFactor } from './recovery.ts';

/** What the operator does with people's accounts. */

const input = defineBody({ password: newPassword });

export interface ListedUser {
  readonly email: string;
  readonly name: string;
  readonly secondFactor: boolean;
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
}

const PAGE_ROWS = 1_000;

/** Every person, by e-mail address. */
export async function* listUsers(pool: pg.Pool): AsyncGenerator<ListedUser, void> {
  for (let after = ''; ; ) {
    const { rows } = await pool.query<ListedUser>(
      `select u.email, u.name, u.two_factor_enabled as "secondFactor",
         coalesce((
           select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.name, w.id)
           from members m join workspaces w on w.id = m.workspace_id where m.user_id = u.id
         ), '[]') as workspaces
       from users u where u.email > $1 order by u.email limit $2`,
      [after, PAGE_ROWS],
    );
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.email ?? '';
  }
}

/** A one-time link that sets a new password. Throws OperatorError when there is no such person. */
export function createOperatorResetLink({
  pool,
  publicUrl,
  email,
}: {
  readonly pool: pg.Pool;
  readonly publicUrl: string;
  readonly email: string;
}): Promise<string> {
  return inTransaction(pool, async (client) => {
    const userId = await lockUser(client, email);
    const { link } = await createPasswordResetLink(client, publicUrl, userId, null);
    await recordPersonal(client, OPERATOR, { id: userId }, (target) => ({
      kind: 'account.reset_link_created',
      target,
    }));
    return link;
  });
}

/** Sets a new password. Throws ApiError `invalid_body` when it is not allowed, OperatorError when nobody has the address. */
export async function setUserPassword({
  pool,
  auth,
  email,
  password,
}: {
  readonly pool: pg.Pool;
  readonly auth: DashboardAuth;
  readonly email: string;
  readonly password: string;
}): Promise<void> {
  const passwordHash = await hashPassword(auth, input({ password }).password);
  await inTransaction(pool, async (client) => {
    const userId = await lockUser(client, email);
    await resetPassword(client, OPERATOR, userId, passwordHash, 'operator');
  });
}

/** Removes a second factor; resolves to whether there was one. Throws OperatorError when nobody has the address. */
export const resetUserSecondFactor = (pool: pg.Pool, email: string): Promise<boolean> =>
  inTransaction(pool, async (client) => resetSecondFactor(client, OPERATOR, await lockUser(client, email)));

async function lockUser(client: pg.ClientBase, email: string): Promise<string> {
  const user = await findUser(client, email);
  if (user === undefined) {
    throw new OperatorError(`nobody has the e-mail address ${email}; svcd user list prints all.`);
  }
  await lockPerson(client, user.id);
  return user.id;
}
