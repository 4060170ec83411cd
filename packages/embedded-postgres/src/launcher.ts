import type { SpawnOptions } from 'node:child_process';
import type { Account } from './account.ts';

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
