import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { failedFor } from '../../database/errors.ts';
import type { Queryable } from '../../database/lane.ts';
import { ApiError } from '../../http/errors.ts';
import { createWorkspace } from '../../records/workspaces.ts';
import type { DashboardAuth } from '../auth/index.ts';
import type { Role } from '../auth/roles.ts';

/** People and their membership. Called in a transaction of the auth database (`auth.database.transact`). */

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  /** From {@link hashPassword}, ahead of the transaction: it takes a tenth of a second. */
  readonly passwordHash: string;
}

export const hashPassword = async (auth: DashboardAuth, password: string): Promise<string> =>
  (await auth.$context).password.hash(password);

/** The user of an e-mail address, in any case of its letters. */
export async function findUser(
  client: Queryable,
  email: string,
): Promise<{ readonly id: string } | undefined> {
  const { rows } = await client.query<{ id: string }>('select id from users where email = lower($1)', [
    email,
  ]);
  return rows[0];
}

/** Makes a user who signs in with a password; returns the id. Two at once: the second is a `conflict`. */
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
      throw new ApiError('conflict', `There is an account for ${email} already.`);
    throw error;
  }
}

/** A workspace and its owner, logged. */
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

/** False: the user is a member already, and stays what they are. */
export async function addMember(
  client: pg.ClientBase,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into members (workspace_id, user_id, id, role, created_at)
     values ($1, $2, gen_random_uuid()::text, $3, now()) on conflict (workspace_id, user_id) do nothing`,
    [workspaceId, userId, role],
  );
  return rowCount === 1;
}
