import type { SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Layout } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import { EmbeddedError, errorCode } from '../errors.ts';
import { usersWithProcesses } from './processes.ts';

/** An unprivileged user of this machine; its name is its number where it has none. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

const PASSWD = '/etc/passwd';
/** The user that an operator makes for the service. */
const OWN_NAME = 'svc';
/**
 * The user and group of the server where there is no user `svc`. Nothing else has this number: Debian reserves it,
 * systemd's dynamic users end at 65519, and a container with user ids of its own has it.
 */
const OWN_NUMBER = 65_525;
/** User ids below this one belong to the base system, as `daemon` and `games`. */
const FIRST_SERVICE_UID = 100;
/** Users that several programs share. Version 0.1.0 gave them the database. */
const SHARED: ReadonlySet<string> = new Set(['postgres', 'nobody']);

/**
 * The user that the server of a new cluster runs as, or undefined when it runs as the current one. PostgreSQL
 * refuses root, so as root it is `svc`, else a number of its own: whoever shares the user owns the database too.
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
 * Who makes a cluster for this account: initdb runs only as a user with a name. A user without one gets the
 * cluster from a user of the base system that has no process, so that no program can interfere meanwhile.
 */
export async function clusterMaker(account: Account): Promise<Account> {
  const accounts = readAccounts();
  if (accounts.some(({ uid }) => uid === account.uid)) return account;
  const busy = await usersWithProcesses();
  const maker = accounts.find(
    ({ name, uid }) => uid !== 0 && (uid < FIRST_SERVICE_UID || name === 'nobody') && !busy.has(uid),
  );
  if (maker !== undefined) return maker;
  throw new EmbeddedError(`PostgreSQL does not run as root, and no user can make its files. ${ADD_A_USER}`);
}

/** Whether other programs usually run as this user. */
export const isShared = ({ name }: Account): boolean => SHARED.has(name);

/** The name of a user, or the number where it has none. */
export function accountName(uid: number): string {
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
 * The user that the server of this data directory runs as, or undefined for the current one. A cluster that is
 * there decides: PostgreSQL runs as the owner of its files and as nobody else.
 */
export async function clusterAccount(layout: Layout): Promise<Account | undefined> {
  const owner = await ownerOf(layout.pgdata);
  const self = process.getuid?.();
  if (owner === undefined) return serverAccount();
  if (owner.uid === self && self !== 0) return undefined;
  if (self !== 0) {
    throw new EmbeddedError(
      `${layout.pgdata} belongs to the user ${owner.name}. Start this program as that user or as root, ` +
        `or give the data to this one: chown -R ${accountName(self ?? 0)} ${layout.dataDir}`,
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
    // A file in its place is refused where the cluster is looked for.
    if (!found.isDirectory()) return undefined;
    return { name: accountName(found.uid), uid: found.uid, gid: found.gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw await fileError(`${path} cannot be read`, path, error);
  }
}

/**
 * How a program of PostgreSQL is started, and as whom: with no capability, no further group, and nothing of the
 * environment. It begins in `directory`, which its user need not be able to reach. Default: `/`.
 */
export type Launcher = (
  file: string,
  args: readonly string[],
  directory?: string,
) => { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions };

// PGDATA, PGOPTIONS and the like in the caller's environment would change what is started.
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

/** The launcher for this account; undefined: for the current user. */
export function launcherFor(account: Account | undefined): Launcher {
  const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  return (file, args, directory = '/') => ({
    file,
    args,
    options: { cwd: directory, env: ENVIRONMENT, ...identity },
  });
}
