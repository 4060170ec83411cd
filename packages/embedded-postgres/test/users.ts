import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Account, clusterCreator, serverAccount } from '../src/account/account.ts';
import { mayRunFixture } from './fixture-process.ts';

export const account = serverAccount();
/** A user with a name, which PostgreSQL's programs need. Undefined: the current user. */
const ordinary = account && (await clusterCreator(account));
export const OWNER_ONLY = 0o700;
/** A user id without a name. */
export const STRANGER = 54_321;

/** The unprivileged user. Skips the test unless root runs it: only root can start processes as another user. */
export function requireRoot(skip: (note: string) => never): Account {
  return account ?? skip('only root can start processes as another user');
}

/** A user whose processes can run this program. Undefined: the current user. */
export async function requireUser(skip: (note: string) => never): Promise<Account | undefined> {
  if (ordinary !== undefined && !(await mayRunFixture(ordinary))) {
    skip(`the user ${ordinary.name} may not read this program, which lies below a private directory`);
  }
  return ordinary;
}

export async function uidOf(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'uid=', '-p', String(pid)]);
  return Number(stdout);
}
