import type { Connections } from '@svc/turns/lane';
import type pg from 'pg';
import { OPERATOR } from '../../audit-log/actor.ts';
import { OperatorError } from '../../config/errors.ts';
import { pagesOf } from '../../database/pages.ts';
import { inTransaction } from '../../database/pool.ts';
import { statement } from '../../database/statement.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardAuth } from '../auth/index.ts';
import { defineBody, email, name, newPassword } from '../requests/body.ts';
import type { Me } from '../wire.ts';
import { createAccount, createOwnedWorkspace, findUser, hashPassword, lockPerson } from './accounts.ts';
import { createPasswordResetLink, type LinkOptions } from './links.ts';
import { endAccess, resetPassword } from './password-reset.ts';

/** What the operator does with people's accounts, through `svcd`. The log names no actor. */

const ownedWorkspace = defineBody({ email, workspaceName: name });
const passwordOnly = defineBody({ password: newPassword });

export interface BootstrapOptions {
  readonly pool: Connections;
  readonly auth: DashboardAuth;
  readonly email: string;
  /** For a new account. An existing account keeps its password. */
  readonly password: string;
  readonly workspaceName: string;
}

export interface Bootstrapped {
  readonly workspaceId: string;
  readonly userId: string;
  /** False: the email address already had an account. */
  readonly created: boolean;
}

/**
 * Creates a workspace and its owner. If the email address has an account, that person owns the workspace. Throws
 * ApiError `invalid_body`, which names the value that is not allowed.
 */
export async function bootstrap(options: BootstrapOptions): Promise<Bootstrapped> {
  const { pool, auth } = options;
  const { email, workspaceName } = ownedWorkspace({
    email: options.email,
    workspaceName: options.workspaceName,
  });
  const known = await findUser(pool, email);
  const passwordHash =
    known === undefined
      ? await hashPassword(auth, passwordOnly({ password: options.password }).password)
      : '';
  return auth.database.transact(OPERATOR, async (client) => {
    const name = email.slice(0, email.indexOf('@'));
    const userId = known?.id ?? (await createAccount(auth, { email, name, passwordHash }));
    const workspaceId = await createOwnedWorkspace(client, OPERATOR, workspaceName, userId);
    return { workspaceId, userId, created: known === undefined };
  });
}

export interface ListedUser {
  readonly email: string;
  readonly name: string;
  readonly secondFactor: boolean;
  readonly workspaces: Me['workspaces'];
}

const PAGE_ROWS = 1_000;

const selectUsers = statement('list_users', 'bulk')`
  select id, email, name, two_factor_enabled as "secondFactor" from users where email > $1 order by email limit $2`;
// A statement of its own: in a cluster, each node has the users, and some of the workspaces.
const selectWorkspaces = statement('workspaces_of_users', 'bulk')`
  select m.user_id as "userId", w.id, w.name, m.role from members m cross join lateral (
    select id, name, deleted_at from workspaces where id = m.workspace_id limit 1) w
  where m.user_id = any($1) and w.deleted_at is null order by w.name, w.id`;

type UserRow = Omit<ListedUser, 'workspaces'> & { readonly id: string };
type WorkspaceRow = Me['workspaces'][number] & { readonly userId: string };

/** Every person, by email address. */
export async function* listUsers(pool: pg.Pool): AsyncGenerator<ListedUser, void> {
  const pages = pagesOf<UserRow>(PAGE_ROWS, (last) => pool.query(selectUsers(last?.email ?? '', PAGE_ROWS)));
  for await (const rows of pages) {
    const found = await pool.query<WorkspaceRow>(selectWorkspaces(rows.map(({ id }) => id)));
    const workspaces = Map.groupBy(found.rows, ({ userId }) => userId);
    for (const { id: userId, ...user } of rows) {
      const own = workspaces.get(userId) ?? [];
      yield { ...user, workspaces: own.map(({ id, name, role }) => ({ id, name, role })) };
    }
  }
}

/** Returns a one-time link that sets a new password. Throws OperatorError if nobody has the address. */
export const createOperatorResetLink = ({
  pool,
  publicUrl,
  email,
}: LinkOptions & { readonly email: string }): Promise<string> =>
  inTransaction(pool, async (client) => {
    const userId = await lockUser(client, email);
    const { link } = await createPasswordResetLink(client, publicUrl, userId, null);
    await recordPersonal(client, OPERATOR, { id: userId }, { kind: 'account.reset_link_created' });
    return link;
  });

/** Sets a new password. Throws ApiError `invalid_body` if it is not allowed, OperatorError if nobody has the address. */
export async function setUserPassword({
  pool,
  auth,
  email,
  password,
}: Pick<BootstrapOptions, 'pool' | 'auth' | 'email' | 'password'>): Promise<void> {
  const passwordHash = await hashPassword(auth, passwordOnly({ password }).password);
  await inTransaction(pool, async (client) => {
    const userId = await lockUser(client, email);
    await resetPassword(client, OPERATOR, userId, passwordHash, 'operator');
  });
}

const deleteFactor = statement('delete_second_factor', 'request')`
  delete from second_factors where user_id = $1`;
const disableFactor = statement('disable_second_factor', 'request')`
  update users set two_factor_enabled = false, updated_at = now() where id = $1`;

/**
 * Removes the second factor of a person and ends all sessions; returns whether there was one. Throws OperatorError if
 * nobody has the address.
 */
export const resetUserSecondFactor = (pool: Connections, email: string): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    const userId = await lockUser(client, email);
    const { rowCount } = await client.query(deleteFactor(userId));
    await client.query(disableFactor(userId));
    if (rowCount === 0) return false;
    const details = { sessionsEnded: await endAccess(client, userId, 'second_factor_changed') };
    await recordPersonal(client, OPERATOR, { id: userId }, { kind: 'account.second_factor_reset', details });
    return true;
  });

async function lockUser(client: pg.ClientBase, email: string): Promise<string> {
  const user = await findUser(client, email);
  if (user === undefined) {
    throw new OperatorError(`nobody has the email address ${email}; svcd user list prints all.`);
  }
  await lockPerson(client, user.id);
  return user.id;
}
