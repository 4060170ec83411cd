import { open } from 'node:fs/promises';
import type { Account } from './account.ts';
import type { Layout } from './layout.ts';
import { barrierTo, hasDescriptorPaths, impassable, openDirectory, WORKING_DIRECTORY } from './reach.ts';

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
