import { OPERATOR } from '../../audit-log/actor.ts';
import type { Connections } from '../../database/lane.ts';
import { inTransaction } from '../../database/pool.ts';
import type { DashboardAuth } from '../auth/index.ts';
import { defineBody, email, name, newPassword } from '../requests/body.ts';
import { createAccount, createOwnedWorkspace, findUser, hashPassword } from './accounts.ts';

const inputOfAll = defineBody({ email, workspaceName: name });
const inputOfNew = defineBody({ password: newPassword });

export interface BootstrapOptions {
  readonly pool: Connections;
  readonly auth: DashboardAuth;
  readonly email: string;
  /** Of a new account; one that exists keeps its own. */
  readonly password: string;
  readonly workspaceName: string;
}

export interface Bootstrapped {
  readonly workspaceId: string;
  readonly userId: string;
  /** False: the e-mail address had an account, which keeps its password. */
  readonly created: boolean;
}

/**
 * Makes a workspace with its owner, without a person at the dashboard; again with the same e-mail address, another
 * workspace for the same owner. Throws ApiError `invalid_body`, fit for the operator, naming what is not allowed.
 */
export async function bootstrap(options: BootstrapOptions): Promise<Bootstrapped> {
  const { pool, auth } = options;
  const { email, workspaceName } = inputOfAll({ email: options.email, workspaceName: options.workspaceName });
  const known = await findUser(pool, email);
  if (known !== undefined) {
    const workspaceId = await inTransaction(pool, (client) =>
      createOwnedWorkspace(client, OPERATOR, workspaceName, known.id),
    );
    return { workspaceId, userId: known.id, created: false };
  }
  const { password } = inputOfNew({ password: options.password });
  const passwordHash = await hashPassword(auth, password);
  return auth.database.transact(OPERATOR, async (client) => {
    const userId = await createAccount(auth, {
      email,
      name: email.slice(0, email.indexOf('@')),
      passwordHash,
    });
    return {
      workspaceId: await createOwnedWorkspace(client, OPERATOR, workspaceName, userId),
      userId,
      created: true,
    };
  });
}
