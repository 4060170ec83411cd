import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Layout } from '../directory/data-directory.ts';
import { EmbeddedError } from '../errors.ts';
import type { Account } from './account.ts';

/** The search bits of a directory: for its owner, its group, everybody. */
const SEARCH = { owner: 0o100, group: 0o010, others: 0o001 } as const;

/** A process's working directory, by a path that passes no other directory. Linux only. */
export const WORKING_DIRECTORY = '/proc/self/cwd';

/** An open directory of a process, by a path that passes no other directory. Linux only. */
export const openDirectory = (fd: number): string => `/proc/self/fd/${fd}`;

/** The topmost directory above (or at) the path that the account may not pass (`/root` has mode 0700), if there is one. */
export async function barrierTo(path: string, account: Account | undefined): Promise<string | undefined> {
  if (account === undefined) return undefined;
  const parent = dirname(path);
  if (parent !== path) {
    const above = await barrierTo(parent, account);
    if (above !== undefined) return above;
  }
  const { mode, uid, gid } = await stat(path);
  const bit = uid === account.uid ? SEARCH.owner : gid === account.gid ? SEARCH.group : SEARCH.others;
  return (mode & bit) === 0 ? path : undefined;
}

/** Whether a program can be given directories that its user cannot reach: only Linux has paths for them. */
export const hasDescriptorPaths = process.platform === 'linux';

/** Why the server cannot be started, and what to do. */
export function impassable(account: Account, barrier: string, cause?: unknown): EmbeddedError {
  return new EmbeddedError(
    `PostgreSQL runs as the user ${account.name}, who may not pass the directory ${barrier}. ` +
      `Allow it (chmod o+x ${barrier}), keep the program and its data elsewhere, or set SVC_DATABASE_URL.`,
    { cause },
  );
}

/** The first descriptor that a server inherits. */
const FIRST_INHERITED = 3;

/** The directories of a server by the paths that it uses. */
export type ServerPaths = {
  readonly pgdata: string;
  readonly sockets: string;
  readonly configuration: string;
  /** Descriptors that the server inherits, in this order. */
  readonly inherit: readonly number[];
  readonly close: () => Promise<void>;
};

/**
 * The paths for the server's account. Where the data directory lies below a directory that it may not pass (as
 * `/root/svc/data`), the server gets its directories opened, and no right to pass the others.
 */
export async function serverPaths(
  layout: Layout,
  account: Account | undefined,
  lockFd: number,
): Promise<ServerPaths> {
  const { pgdata, socketDirectory, configDirectory } = layout;
  const barriers = await Promise.all(
    [pgdata, socketDirectory, configDirectory].map((path) => barrierTo(path, account)),
  );
  const barrier = barriers.find((each) => each !== undefined);
  if (account === undefined || barrier === undefined) {
    return {
      pgdata,
      sockets: socketDirectory,
      configuration: configDirectory,
      inherit: [lockFd],
      close: () => Promise.resolve(),
    };
  }
  if (!hasDescriptorPaths) throw impassable(account, barrier);
  const sockets = await open(socketDirectory, 'r');
  const configuration = await open(configDirectory, 'r');
  return {
    pgdata: WORKING_DIRECTORY,
    sockets: openDirectory(FIRST_INHERITED + 1),
    configuration: openDirectory(FIRST_INHERITED + 2),
    inherit: [lockFd, sockets.fd, configuration.fd],
    close: async () => {
      await Promise.all([sockets.close(), configuration.close()]);
    },
  };
}
