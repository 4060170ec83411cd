import { execFile, type SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { EmbeddedError, errorMessage } from './error.ts';

const run = promisify(execFile);

/** How a program of PostgreSQL is started, as whom, and with which rights. */
export type Launcher = (
  file: string,
  args: readonly string[],
) => { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions };

/** The search bits of a directory: for its owner, its group, everybody. */
const SEARCH = { owner: 0o100, group: 0o010, others: 0o001 } as const;

/**
 * The launcher for this account. `paths` are the files and directories that the server has to reach. When one
 * lies below a directory that the account may not pass (`/root` has mode 0700), the server gets the one
 * capability that lets it pass and read, and nothing that lets it write where the account may not.
 */
export async function launcherFor(account: Account | undefined, paths: readonly string[]): Promise<Launcher> {
  if (account === undefined) return plainLauncher();
  for (const path of paths) {
    const barrier = await impassable(path, account);
    if (barrier !== undefined) return readingLauncher(account, barrier, paths);
  }
  return plainLauncher({ uid: account.uid, gid: account.gid });
}

// Nothing of the caller's environment: PGDATA, PGOPTIONS and the like would change what is started.
const BASE: SpawnOptions = {
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' },
};

function plainLauncher(identity: Pick<SpawnOptions, 'uid' | 'gid'> = {}): Launcher {
  return (file, args) => ({ file, args, options: { ...BASE, ...identity } });
}

async function readingLauncher(
  account: Account,
  barrier: string,
  paths: readonly string[],
): Promise<Launcher> {
  const rights = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
    // Without it access(2), which initdb asks about its own programs, answers as if there were no capability.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
  try {
    await run('setpriv', [...rights, 'stat', ...paths]);
  } catch (error) {
    throw new EmbeddedError(
      `PostgreSQL runs as the user ${account.name}, who may not pass the directory ${barrier}. ` +
        `Allow it (chmod o+x ${barrier}), keep the program and its data elsewhere, or set SVC_DATABASE_URL. ` +
        `(Giving it the right with setpriv failed: ${errorMessage(error).trim()})`,
      { cause: error },
    );
  }
  return (file, args) => ({ file: 'setpriv', args: [...rights, file, ...args], options: BASE });
}

/** The topmost directory above (or at) the path that the account may not pass, if there is one. */
async function impassable(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path);
  if (parent !== path) {
    const above = await impassable(parent, account);
    if (above !== undefined) return above;
  }
  const { mode, uid, gid } = await stat(path);
  const bit = uid === account.uid ? SEARCH.owner : gid === account.gid ? SEARCH.group : SEARCH.others;
  return (mode & bit) === 0 ? path : undefined;
}
