import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { failedFor } from '../../database/errors.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { createWorkspace } from '../../records/workspaces.ts';
import type { DashboardAuth } from '../auth/index.ts';
import type { Role } from '../auth/permissions.ts';
import { MEMBERS_MAX } from '../limits.ts';
import { type Access, confirmRole, type Person } from '../requests/session.ts';

/** People and their membership. Called in a transaction of the auth database (`auth.database.transact`). */

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  /** From {@link hashPassword}, called before the transaction: it takes a tenth of a second. */
  readonly passwordHash: string;
}

export const hashPassword = async (auth: DashboardAuth, password: string): Promise<string> =>
  (await auth.$context).password.hash(password);

const selectPassword = statement('password_of_user', 'request')`
  select password from accounts where provider_id = 'credential' and account_id = $1`;

/** The hash of a user's password, found by its identity, which is unique. Undefined: no such user, or no password. */
export async function passwordHashOf(
  client: Queryable,
  userId: string | undefined,
): Promise<string | undefined> {
  const { rows } = await client.query<{ password: string }>(selectPassword(userId ?? null));
  return rows[0]?.password;
}

/** Stores the identity of the user at a provider; for `credential`, with the password hash. */
export const saveAccount = statement('save_account', 'request')`
  insert into accounts (id, user_id, provider_id, account_id, password, created_at, updated_at)
  values (gen_random_uuid()::text, $1, $2, $3, $4, now(), now())
  on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`;

/** The provider in `accounts` of what a user once had: an address (`email`), or the subject of an issuer. */
export const formerOf = (what: string): string => `former ${what}`;

const selectUserId = statement('find_user', 'request')`select id from users where email = lower($1)`;

/** The user with this email address. Upper and lower case are the same. */
export async function findUser(
  client: Queryable,
  email: string,
): Promise<{ readonly id: string } | undefined> {
  const { rows } = await client.query<{ id: string }>(selectUserId(email));
  return rows[0];
}

/** Creates a user who signs in with a password; returns the id. Throws `conflict` if the address has an account. */
export async function createAccount(auth: DashboardAuth, account: NewAccount): Promise<string> {
  const { internalAdapter } = await auth.$context;
  const { email, name, passwordHash } = account;
  try {
    const { id } = await internalAdapter.createUser(
      { email, name, emailVerified: false },
      { method: 'email-password' },
    );
    await internalAdapter.createAccount({
      userId: id,
      accountId: id,
      providerId: 'credential',
      password: passwordHash,
    });
    return id;
  } catch (error) {
    if (failedFor(error, 'unique_violation'))
      throw new ApiError('conflict', `There is already an account for ${email}.`);
    throw error;
  }
}

/** Creates a workspace with its owner and the entry in its log; returns the id. */
export async function createOwnedWorkspace(
  client: pg.ClientBase,
  by: ActorContext,
  name: string,
  ownerId: string,
): Promise<string> {
  const workspaceId = await createWorkspace(client, name);
  await addMember(client, workspaceId, ownerId, 'owner');
  await appendEvent(client, workspaceId, by, {
    kind: 'workspace.created',
    target: { id: workspaceId, label: name },
  });
  return workspaceId;
}

const insertMember = statement('add_member', 'request')`
  insert into members (workspace_id, user_id, id, role, created_at)
  values ($1, $2, gen_random_uuid()::text, $3, now()) on conflict (workspace_id, user_id) do nothing`;

/** Adds a member. Returns false, and changes nothing, if the user already is one. */
export async function addMember(
  client: pg.ClientBase,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  const { rowCount } = await client.query(insertMember(workspaceId, userId, role));
  return rowCount === 1;
}

const selectPersonForUpdate = statement('lock_person', 'request')`
  select id, name, email from users where id = $1 for update`;

/** Locks and returns the person. Until the transaction ends, they join no workspace and nobody else recovers the account. */
export async function lockPerson(client: pg.ClientBase, userId: string): Promise<Person | undefined> {
  return (await client.query<Person>(selectPersonForUpdate(userId))).rows[0];
}

const selectMembersForUpdate = statement('lock_members', 'request')`
  select 1 from workspaces where id = $1 for no key update`;

/** Locks the members. Their changes run one after the other, so two owners cannot remove each other at the same time. */
export async function lockMembers(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query(selectMembersForUpdate(workspaceId));
}

const countMembers = statement('count_members', 'request')`
  select (select count(*) from (select 1 from members where workspace_id = $1 limit $2) m) >= $2 as full
  from workspaces where id = $1 and deleted_at is null`;

/** Whether another member is too many. Undefined: there is no such workspace. Called after {@link lockMembers}. */
export async function isFull(client: pg.ClientBase, workspaceId: string): Promise<boolean | undefined> {
  const { rows } = await client.query<{ full: boolean }>(countMembers(workspaceId, MEMBERS_MAX));
  return rows[0]?.full;
}

/**
 * Changes the members, the invitations or the settings of a workspace, in one transaction that locks its members and
 * confirms the role. Throws as `confirmRole` does.
 */
export const changeMembers = <T>(
  auth: DashboardAuth,
  access: Access,
  work: (client: pg.ClientBase, role: Role) => Promise<T>,
): Promise<T> =>
  auth.database.transact(access.by, async (client) => {
    await lockMembers(client, access.workspaceId);
    return work(client, await confirmRole(client, access));
  });
