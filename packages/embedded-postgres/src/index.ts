// The PostgreSQL that comes with the program: everything about its files, its process and who uses it is in
// this folder, and nothing about what is in the database.

import { stat } from 'node:fs/promises';
import { ensureDataDirectory, findDataDirectory, type Layout, layoutOf } from './directory/data-directory.ts';
import type { EmbeddedError } from './errors.ts';
import type { Log } from './log.ts';
import { joinServer, type Server } from './server/connect.ts';
import { type Entry, type EntryOptions, enter, leave } from './users/membership.ts';
import { supervise } from './users/supervise.ts';

export { fileError } from './directory/files.ts';
export { DataDirectoryInUseError, EmbeddedError } from './errors.ts';

export type EmbeddedOptions = {
  /** SVC_DATA_DIR; made if it is not there. */
  readonly dataDir: string;
  /** Who this is, as others that are refused or that wait will be told: `svcd start`, `svcd import`. */
  readonly purpose: string;
  /** Connections that the service needs; a server that is running already keeps its limit. Default: 0, a command alone is there. */
  readonly connections?: number;
  readonly log: Log;
};

/** A running server that this process uses. */
export type Embedded = {
  /** Of the database `svc`, by its Unix socket. Stays the same when the server is restarted. */
  readonly url: string;
  /** Of PostgreSQL, as in `18.4`. */
  readonly version: string;
  /** Process id of the server; another one after a restart. */
  readonly pid: number;
  /** Whether it was running before. */
  readonly adopted: boolean;
  /** Resolves when the server cannot be kept running, with the reason; for a command never. */
  readonly failed: Promise<EmbeddedError>;
  /** Leaves the server, and shuts it down unless others use it. The pools on it are to be ended before. */
  readonly stop: () => Promise<void>;
};

/**
 * The server for the service: starts it, or adopts the one that a killed service left running, and keeps it
 * running. One service at a time: throws DataDirectoryInUseError while another has the data directory, and
 * EmbeddedError for everything else that is in the way.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const layout = await ensureDataDirectory(options.dataDir);
  const entry: EntryOptions = { ...entryOptions(options, layout), service: true };
  const { server, version, others } = await enter(entry);
  sayAdopted(server, others, options.log);
  // On the socket where the pools look for it: an adopted server's may have been chosen under another TMPDIR.
  const same = { ...entry, layout: { ...layout, socketDirectory: server.socketDirectory } };
  const supervisor = supervise(server, async () => (await enter(same)).server, options.log);
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
 * The server for a command: the one that is running, of the service or of another command, else one that is
 * started for the time of the command.
 */
export async function useEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const layout = await ensureDataDirectory(options.dataDir);
  const { server, version }: Entry = await enter({ ...entryOptions(options, layout), service: false });
  return {
    url: server.url,
    version,
    pid: server.pid,
    adopted: server.child === undefined,
    failed: new Promise(() => undefined),
    stop: once(() => leave(server, layout, options.log)),
  };
}

/** The server of a data directory, if one is running. Neither starts one nor keeps one from being stopped. */
export async function findEmbedded(dataDir: string): Promise<{ readonly url: string } | undefined> {
  const layout: Layout | undefined = await findDataDirectory(dataDir);
  const server = layout && (await joinServer(layout, 'svc'));
  if (server === undefined) return undefined;
  await server.client.end();
  return { url: server.url };
}

/** Whether a data directory has a database. Starts no server. False also when it cannot be looked into. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return stat(layoutOf(dataDir).pgdata).then(
    () => true,
    () => false,
  );
}

const entryOptions = (
  { purpose, connections = 0, log }: EmbeddedOptions,
  layout: Layout,
): Omit<EntryOptions, 'service'> => ({ layout, purpose, connections, log });

function sayAdopted({ pid, child }: Server, others: readonly string[], log: Log): void {
  if (child !== undefined) return;
  if (others.length > 0)
    log.info({ pid }, `uses the PostgreSQL (pid ${pid}) that ${others.join(', ')} started`);
  else log.warn({ pid }, `adopted the PostgreSQL (pid ${pid}) that a killed service left running`);
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
