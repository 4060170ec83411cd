import type { SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Layout } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import { usersWithProcesses } from './processes.ts';

/** An unprivileged user of this machine. The name of a user without one is its number. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

const PASSWD = '/etc/passwd';
/** The name of the user that an operator adds for the service. */
const OWN_NAME = 'svc';
/**
 * The user and group of the server if there is no user `svc`. No other program uses this number: Debian reserves it,
 * and systemd's dynamic users end at 65519. It also exists in a container that has its own user ids.
 */
const OWN_NUMBER = 65_525;
/** User ids below this one belong to the base system, such as `daemon` and `games`. */
const FIRST_SERVICE_UID = 100;
/** The names of users that several programs share. Version 0.1.0 ran the server as one of them. */
const SHARED: ReadonlySet<string> = new Set(['postgres', 'nobody']);

/**
 * The user that the server of a new cluster runs as. Undefined: the current user. PostgreSQL refuses to run as root,
 * so root runs it as `svc`, or as a user id that no other program has: a program of the same user could change the
 * data.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  const named = accounts.find(({ name }) => name === OWN_NAME);
  if (named !== undefined && named.uid !== 0) return named;
  const taken = accounts.find(({ uid }) => uid === OWN_NUMBER);
  if (taken === undefined) return { name: String(OWN_NUMBER), uid: OWN_NUMBER, gid: OWN_NUMBER };
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and the user id ${OWN_NUMBER} belongs to ${taken.name}. ${ADD_A_USER}`,
  );
}

export const ADD_A_USER =
  'Add a user for the database (useradd --system svc), start this program as another user, or set SVC_DATABASE_URL.';

/**
 * The user that creates the cluster of this account. initdb runs only as a user with a name. For an account without a
 * name, a user of the base system creates the cluster. That user has no process, so no program can interfere.
 */
export async function clusterCreator(account: Account): Promise<Account> {
  const accounts = readAccounts();
  if (accounts.some(({ uid }) => uid === account.uid)) return account;
  const busy = await usersWithProcesses();
  const creator = accounts.find(
    ({ name, uid }) => uid !== 0 && (uid < FIRST_SERVICE_UID || name === 'nobody') && !busy.has(uid),
  );
  if (creator !== undefined) return creator;
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and there is no user that can create its files. ${ADD_A_USER}`,
  );
}

/** Whether other programs usually run as this user. */
export const isShared = ({ name }: Account): boolean => SHARED.has(name);

/** The name of a user, or the number of a user without a name. */
function accountName(uid: number): string {
  return readAccounts().find((account) => account.uid === uid)?.name ?? String(uid);
}

function readAccounts(): readonly Account[] {
  return readFileSync(PASSWD, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length > 3)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/**
 * The user that the server of this data directory runs as. Undefined: the current user. For an existing cluster, this is
 * the owner of its files, because PostgreSQL runs only as that user.
 */
export async function clusterAccount(layout: Layout): Promise<Account | undefined> {
  const owner = await ownerOf(layout.pgdata);
  const self = process.getuid?.();
  if (owner === undefined) return serverAccount();
  if (owner.uid === self && self !== 0) return undefined;
  if (self !== 0) {
    throw new EmbeddedError(
      `${layout.pgdata} belongs to the user ${owner.name}. Start this program as that user or as root, ` +
        `or give the data to the current user: chown -R ${accountName(self ?? 0)} ${layout.dataDir}`,
    );
  }
  if (owner.uid !== 0) return owner;
  throw new EmbeddedError(
    `${layout.pgdata} belongs to root, and PostgreSQL does not run as root. ` +
      `Give it to another user: chown -R ${serverAccount()?.name} ${layout.pgdata}`,
  );
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const found = await stat(path);
    // ensureCluster refuses a file in place of the directory.
    if (!found.isDirectory()) return undefined;
    return { name: accountName(found.uid), uid: found.uid, gid: found.gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw await fileError(`${path} cannot be read`, path, error);
  }
}

/**
 * How to start a program of PostgreSQL as an account: without capabilities, without further groups, and without the
 * environment of this process. It starts in `directory`, even if its user cannot reach that path. Default: `/`.
 */
export type Launcher = (
  file: string,
  args: readonly string[],
  directory?: string,
) => { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions };

// PGDATA, PGOPTIONS and similar variables of this process would change the server.
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

/** The launcher for an account. Undefined: for the current user. */
export function launcherFor(account: Account | undefined): Launcher {
  const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  return (file, args, directory = '/') => ({
    file,
    args,
    options: { cwd: directory, env: ENVIRONMENT, ...identity },
  });
}
