import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Layout } from '../directory/data-directory.ts';
import { EmbeddedError } from '../errors.ts';
import type { Account } from './account.ts';

/** The permission bits that let a user enter a directory. */
const SEARCH = { owner: 0o100, group: 0o010, others: 0o001 } as const;

/** A path to the working directory of a process. The process needs no right to enter its parents. Linux only. */
export const WORKING_DIRECTORY = '/proc/self/cwd';

/** A path to an open directory of a process. The process needs no right to enter its parents. Linux only. */
export const openDirectory = (fd: number): string => `/proc/self/fd/${fd}`;

/**
 * The topmost directory on the path, or the path itself, that the account cannot enter: `/root` has mode 0700.
 * Undefined if the account can reach the path.
 */
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

/** Whether a program can use an open directory that its user cannot reach. Only Linux has paths for that. */
export const hasDescriptorPaths = process.platform === 'linux';

/** The error for a server whose user cannot reach its files. */
export function impassable(account: Account, barrier: string, cause?: unknown): EmbeddedError {
  return new EmbeddedError(
    `PostgreSQL runs as the user ${account.name}, which cannot enter the directory ${barrier}. ` +
      `Allow it (chmod o+x ${barrier}), keep the program and its data elsewhere, or set SVC_DATABASE_URL.`,
    { cause },
  );
}

/** The first descriptor that a server inherits. */
const FIRST_INHERITED = 3;

/** The paths that the server gets for its directories. */
type ServerPaths = {
  readonly pgdata: string;
  readonly sockets: string;
  readonly configuration: string;
  /** Descriptors that the server inherits, in order. */
  readonly inherit: readonly number[];
  readonly close: () => Promise<void>;
};

/**
 * The paths for the server's account. If the data directory is in a directory that the account cannot enter, such as
 * `/root/svc/data`, the server inherits its directories open. It gets no right to enter the others.
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
