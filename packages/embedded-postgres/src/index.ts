// Starts, shares and supervises the PostgreSQL of a data directory. The package knows its files, its process and the
// processes that use it. It knows nothing of the tables in it.
// Imports point one way: upgrade → users → server → cluster → account → directory.

import { stat } from 'node:fs/promises';
import { NoLinksError } from './cluster/links.ts';
import { packagedBinaries } from './cluster/programs.ts';
import { completeCluster } from './cluster/switch.ts';
import { ensureDataDirectory, findDataDirectory, type Layout, layoutOf } from './directory/data-directory.ts';
import type { EmbeddedError } from './errors.ts';
import type { Log } from './log.ts';
import { joinServer, type Server } from './server/connect.ts';
import { type EntryOptions, enter, leave } from './users/membership.ts';
import { serviceHolder } from './users/session-locks.ts';
import { supervise } from './users/supervise.ts';

export { OtherMajorVersionError } from './cluster/version.ts';
export { fileError, keepOwner, syncDirectory } from './directory/files.ts';
export { EmbeddedError } from './errors.ts';
export { removeEmbedded } from './upgrade/remove.ts';
export { type Upgraded, upgradeEmbedded } from './upgrade/upgrade.ts';

export type EmbeddedOptions = {
  /** The data directory (SVC_DATA_DIR). Created if there is none. */
  readonly dataDir: string;
  /** The name of this process in the messages of others: `svcd start`, `svcd import`. */
  readonly purpose: string;
  /** Connections that the service needs. A running server keeps its limit. Default: 0, for a command. */
  readonly connections?: number;
  /** Ends a start that waits for the data directory or for the server. A server that it has started is shut down. */
  readonly signal?: AbortSignal | undefined;
  readonly log: Log;
};

/** A running server that this process uses. */
export type Embedded = {
  /** The URL of the database `svc` over its Unix socket. A restart of the server does not change it. */
  readonly url: string;
  /** The version of PostgreSQL: `18.4`. */
  readonly version: string;
  /** The process id of the server. A restart changes it. */
  readonly pid: number;
  /** Whether the server was running before. */
  readonly adopted: boolean;
  /** Resolves with the reason when the server cannot be kept running. Never resolves for a command. */
  readonly failed: Promise<EmbeddedError>;
  /** Leaves the server, and shuts it down unless others use it. End all pools on the server first. */
  readonly stop: () => Promise<void>;
};

/**
 * The server for the service. Starts it, or adopts the one that a killed service left running, and keeps it running.
 * Throws DataDirectoryInUseError if another service has the data directory, and EmbeddedError if the server cannot be
 * started for another reason.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const layout = await ensureDataDirectory(options.dataDir);
  const entry: EntryOptions = { ...entryOptions(options, layout), service: true };
  const { server, version, others } = await enter(entry, options.signal);
  logAdopted(server, others, options.log);
  // The pools use the socket of the adopted server, whose directory may have been chosen under another TMPDIR.
  const same = { ...entry, layout: { ...layout, socketDirectory: server.socketDirectory } };
  const supervisor = supervise(server, async () => (await enter(same)).server, {
    directory: layout.dataDir,
    log: options.log,
  });
  return {
    url: server.url,
    version,
    get pid() {
      return supervisor.current().pid;
    },
    adopted: server.child === undefined,
    failed: supervisor.failed,
    stop: once(async () => {
      const last = (await supervisor.end()) ?? (await joinServer(layout, options.purpose));
      if (last !== undefined) await leave(last, layout, options.log);
    }),
  };
}

/**
 * The server for a command. Joins the running server of the service or of another command. If none runs, starts one
 * that ends with the command.
 */
export async function useEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const layout = await ensureDataDirectory(options.dataDir);
  const entry: EntryOptions = { ...entryOptions(options, layout), service: false };
  const { server, version } = await enter(entry, options.signal);
  return {
    url: server.url,
    version,
    pid: server.pid,
    adopted: server.child === undefined,
    failed: new Promise(() => undefined),
    stop: once(() => leave(server, layout, options.log)),
  };
}

/** The URL of the running server of a data directory. Undefined if none runs. Does not join its users. */
export const findEmbedded = (dataDir: string): Promise<{ readonly url: string } | undefined> =>
  withRunning(dataDir, ({ url }) => ({ url }));

/**
 * The name and process id of the service that uses a data directory. Undefined if there is none. Starts no server, and does
 * not join the users of a running one.
 */
export const findService = (dataDir: string): Promise<string | undefined> =>
  withRunning(dataDir, ({ client }) => serviceHolder(client));

/** Runs `work` with the running server of a data directory. Undefined if none runs. Does not join its users. */
async function withRunning<T>(
  dataDir: string,
  work: (server: Server) => T | Promise<T>,
): Promise<T | undefined> {
  const layout: Layout | undefined = await findDataDirectory(dataDir);
  const server = layout && (await joinServer(layout, 'svc'));
  if (server === undefined) return undefined;
  try {
    return await work(server);
  } finally {
    await server.client.end();
  }
}

/** Whether the packaged PostgreSQL is installed: it can be left out. */
export const hasPackagedServer = (): Promise<boolean> =>
  packagedBinaries().then(
    () => true,
    (error: unknown) => error instanceof NoLinksError,
  );

/** Whether a data directory has a database. Starts no server. False if the directory cannot be read. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const layout = layoutOf(dataDir);
  // An upgrade that was killed in its last step has left the database under its other name.
  const found = await Promise.allSettled([layout.pgdata, completeCluster(layout)].map((path) => stat(path)));
  return found.some(({ status }) => status === 'fulfilled');
}

const entryOptions = (
  { purpose, connections = 0, log }: EmbeddedOptions,
  layout: Layout,
): Omit<EntryOptions, 'service'> => ({ layout, purpose, connections, log });

function logAdopted({ pid, child }: Server, others: readonly string[], log: Log): void {
  if (child !== undefined) return;
  if (others.length > 0)
    log.info({ pid }, `uses the PostgreSQL (pid ${pid}) that ${others.join(', ')} started`);
  else log.warn({ pid }, `adopted the PostgreSQL (pid ${pid}) that another process left running`);
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
