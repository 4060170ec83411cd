import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { packagedBinaries } from './binaries.ts';
import { DATABASE, ROLE } from './cluster.ts';
import { connectWhenReady } from './connect.ts';
import { ensureSocketDirectory } from './data-directory.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { ensureWritable, fileError } from './files.ts';
import { ensureCluster } from './initialise.ts';
import { launcherFor } from './launcher.ts';
import { type Layout, socketLockFile, socketUrl } from './layout.ts';
import { clusterAccount } from './owner.ts';
import { requirePassword } from './password.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import { boundServerLog, serverLogSince } from './server-log.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { serverSettings } from './settings.ts';
import { passesByItself, startFailure } from './start-failure.ts';

export type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>;

/** A server that takes connections, and one connection to it. */
export type Server = {
  readonly client: pg.Client;
  readonly url: string;
  readonly socketDirectory: string;
  readonly pid: number;
  /** Missing when the server was running before and is therefore nobody's child. */
  readonly child: ServerProcess | undefined;
};

/** How often a start is repeated when its obstacle passes by itself, and after which pause. */
const RETRIES = 100;
const RETRY_PAUSE_MS = 50;
/** SQLSTATE invalid_password. */
const INVALID_PASSWORD = '28P01';

/** The server went away while it was waited for. */
class ServerGoneError extends Error {}

/**
 * Connects to the server of a data directory: the one that is running, else one that is started now, over a
 * cluster that is made now if there is none. Waits for the end of a crash recovery, however long it takes.
 */
export async function openServer(
  layout: Layout,
  applicationName: string,
  connections: number,
  log: Log,
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server =
      (await joinServer(layout, applicationName)) ??
      (await launch(layout, applicationName, connections, log));
    if (server !== undefined) return server;
    if (attempt === RETRIES) {
      throw new EmbeddedError(
        `another process keeps the database in ${layout.pgdata}; see ${layout.logFile}`,
      );
    }
    await delay(RETRY_PAUSE_MS);
  }
}

/** Connects to the running server; undefined when none is running, or when it ends before it is ready. */
export async function joinServer(layout: Layout, applicationName: string): Promise<Server | undefined> {
  // Says whose the files are before they cannot be read.
  await clusterAccount(layout);
  const found = await findPostmaster(layout.pgdata);
  if (found.kind !== 'running') return undefined;
  const socketDirectory = found.socketDirectory ?? layout.socketDirectory;
  try {
    const alive = async () => {
      const now = await findPostmaster(layout.pgdata);
      if (now.kind !== 'running' || now.pid !== found.pid) throw new ServerGoneError();
    };
    return {
      ...(await connect(layout, socketDirectory, applicationName, alive)),
      pid: found.pid,
      child: undefined,
    };
  } catch (error) {
    if (error instanceof ServerGoneError) return undefined;
    throw error;
  }
}

/** Starts the server and connects; undefined when another start was faster or old sessions are still ending. */
async function launch(
  layout: Layout,
  applicationName: string,
  connections: number,
  log: Log,
): Promise<Server | undefined> {
  const before = await findPostmaster(layout.pgdata);
  const offset = await boundServerLog(layout.logFile);
  const child = await startOver(layout, before, connections, log);
  if (before.kind === 'stale') log.warn('PostgreSQL was not shut down: it recovers from its write-ahead log');
  const started = performance.now();
  try {
    const connection = await connect(layout, layout.socketDirectory, applicationName, () => {
      if (child.outcome() !== undefined) throw new ServerGoneError();
    });
    const now = await findPostmaster(layout.pgdata);
    if (now.kind !== 'running' || now.pid !== child.pid) {
      // Another start was faster, and it is that one's server that has answered.
      await connection.client.end();
      return undefined;
    }
    const ms = Math.round(performance.now() - started);
    log.info({ pid: child.pid, ms }, `started PostgreSQL (pid ${child.pid})`);
    return { ...connection, pid: child.pid, child };
  } catch (error) {
    if (!(error instanceof ServerGoneError)) throw error;
  }
  const output = await serverLogSince(layout.logFile, offset);
  if (passesByItself(output)) return undefined;
  throw startFailure(layout, child.outcome() ?? 'ended', output);
}

async function startOver(
  layout: Layout,
  before: PostmasterState,
  connections: number,
  log: Log,
): Promise<ServerProcess> {
  await ensureWritable(layout.dataDir);
  const [binaries, account] = await Promise.all([packagedBinaries(), clusterAccount(layout)]);
  const launcher = await launcherFor(account, [binaries.initdb, binaries.postgres, layout.dataDir]);
  await ensureCluster({ layout, account, launcher, binaries, log });
  await ensureSocketDirectory(layout, account);
  // The lock of postmaster.pid guards the socket too, whose path is this cluster's alone. Its own lock file would
  // only be in the way when the process id in it has gone to another process, or to a zombie that nobody reaps.
  await rm(socketLockFile(layout), { force: true });
  try {
    return await startServerProcess({
      binaries,
      launcher,
      pgdata: layout.pgdata,
      logFile: layout.logFile,
      settings: serverSettings(layout.socketDirectory, connections),
      // PostgreSQL refuses to start while the process in a left-over postmaster.pid lives, whoever that is by
      // now; the one named here it ignores. Its check for sessions of the old server (by shared memory) stays.
      env: before.kind === 'stale' ? { PG_GRANDPARENT_PID: String(before.pid) } : {},
    });
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw await fileError(`${layout.logFile} cannot be written`, layout.dataDir, error);
  }
}

async function connect(
  layout: Layout,
  socketDirectory: string,
  applicationName: string,
  alive: () => unknown,
): Promise<Pick<Server, 'client' | 'url' | 'socketDirectory'>> {
  const password = await requirePassword(layout);
  const config = {
    host: socketDirectory,
    user: ROLE,
    password,
    database: DATABASE,
    application_name: applicationName,
  };
  try {
    const client = await connectWhenReady(config, alive);
    return { client, url: socketUrl(socketDirectory, password), socketDirectory };
  } catch (error) {
    if (errorCode(error) !== INVALID_PASSWORD) throw error;
    throw new EmbeddedError(
      `the password in ${layout.passwordFile} is not that of the database in ${layout.pgdata}. ` +
        'Restore the file from the backup that the database is from.',
      { cause: error },
    );
  }
}
