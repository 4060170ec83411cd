import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterAccount, isShared, launcherFor } from '../account/account.ts';
import { serverPaths } from '../account/reach.ts';
import { configurationSettings, ensureConfiguration } from '../cluster/configuration.ts';
import { ensureCluster } from '../cluster/initialise.ts';
import { packagedBinaries, reachablePrograms } from '../cluster/programs.ts';
import { ensureSocketDirectory, type Layout, socketLockFile } from '../directory/data-directory.ts';
import { ensureWritable, fileError } from '../directory/files.ts';
import { type DirectoryLock, lockHolder, tryLock } from '../directory/lock.ts';
import { EmbeddedError } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import {
  answers,
  connectTo,
  joinServer,
  type Server,
  ServerGoneError,
  socketDirectories,
} from './connect.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import { boundServerLog, passesByItself, serverLogSince, startFailure } from './server-log.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { serverSettings } from './settings.ts';

/**
 * How long to wait while another process has the lock and no server answers. That process may be creating the cluster.
 */
const PATIENCE_MS = 60_000;
const RETRY_PAUSE_MS = 50;
const NOTICE_AFTER_MS = 2_000;

/**
 * Connects to the server of a data directory. Starts the server if it does not run, and creates the cluster if there is
 * none. Waits for the end of a crash recovery without a time limit.
 */
export async function openServer(
  layout: Layout,
  applicationName: string,
  connections: number,
  log: Log,
  patienceMs = PATIENCE_MS,
): Promise<Server> {
  const started = performance.now();
  for (let noticed = false; ; ) {
    const server =
      (await joinServer(layout, applicationName)) ??
      (await startServer(layout, applicationName, connections, log));
    if (server !== undefined) return server;
    const waited = performance.now() - started;
    if (waited > patienceMs) throw await lockedError(layout);
    if (!noticed && waited > NOTICE_AFTER_MS) {
      noticed = true;
      log.info(`waits for the data directory ${layout.dataDir}, locked by ${await lockHolder(layout)}`);
    }
    await delay(RETRY_PAUSE_MS);
  }
}

async function lockedError(layout: Layout): Promise<EmbeddedError> {
  return new EmbeddedError(
    `the data directory ${layout.dataDir} is locked, last by ${await lockHolder(layout)}, and no PostgreSQL answers ` +
      'on it here. It is in use on another machine, or in a container that has it at another path, or its processes ' +
      `are still ending. Stop the process that uses it, then start again; see ${layout.logFile}`,
  );
}

/** Starts the server. Undefined if another process has the lock, or if a server runs already. */
async function startServer(
  layout: Layout,
  applicationName: string,
  connections: number,
  log: Log,
): Promise<Server | undefined> {
  const lock = await tryLock(layout, applicationName);
  if (lock === undefined) return undefined;
  try {
    reached(log, 'locked');
    const before = await findPostmaster(layout.pgdata);
    // A server runs that version 0.1.0 started without the lock, or that another process started after joinServer looked.
    if (before.kind === 'running' || (await anyAnswers(socketDirectories(layout, before)))) return undefined;
    return await launch({ layout, lock, before, applicationName, connections, log });
  } finally {
    // The server has inherited the lock.
    await lock.release();
  }
}

async function anyAnswers(directories: readonly string[]): Promise<boolean> {
  const found = await Promise.all(directories.map(answers));
  return found.includes(true);
}

type LaunchOptions = {
  readonly layout: Layout;
  readonly lock: DirectoryLock;
  /** The state before the start. This process has the lock and no server answers, so it is `none` or `stale`. */
  readonly before: PostmasterState;
  readonly applicationName: string;
  readonly connections: number;
  readonly log: Log;
};

/** Starts the server and connects. Undefined if the same start may succeed later, when old sessions have ended. */
async function launch(options: LaunchOptions): Promise<Server | undefined> {
  const { layout, before, applicationName, log } = options;
  await ensureWritable(layout.dataDir);
  const offset = await boundServerLog(layout.logFile);
  const child = await startProcess(options);
  reached(log, 'server-spawned');
  if (before.kind === 'stale') log.warn('PostgreSQL was not shut down: it recovers from its write-ahead log');
  const started = performance.now();
  try {
    const connection = await connectTo(layout, layout.socketDirectory, applicationName, () => {
      if (child.outcome() !== undefined) throw new ServerGoneError();
    });
    const now = await findPostmaster(layout.pgdata);
    if (now.kind !== 'running' || now.pid !== child.pid) {
      // A service of version 0.1.0, which does not use the lock, was faster: its server has answered.
      await connection.client.end();
      return undefined;
    }
    const ms = Math.round(performance.now() - started);
    reached(log, 'server-ready');
    log.info({ pid: child.pid, ms }, `started PostgreSQL (pid ${child.pid})`);
    return { ...connection, pid: child.pid, local: true, child };
  } catch (error) {
    if (!(error instanceof ServerGoneError)) throw error;
  }
  const output = await serverLogSince(layout.logFile, offset);
  if (passesByItself(output)) return undefined;
  throw startFailure(layout, child.outcome() ?? 'ended', output);
}

async function startProcess({
  layout,
  lock,
  before,
  connections,
  log,
}: LaunchOptions): Promise<ServerProcess> {
  const [packaged, account] = await Promise.all([packagedBinaries(), clusterAccount(layout)]);
  if (account !== undefined && isShared(account)) {
    log.warn(
      `the database belongs to the user ${account.name}, and other programs of this user can change it. To give ` +
        `it a user of its own, stop the service, then: useradd --system svc; chown -R svc: ${layout.pgdata}`,
    );
  }
  const binaries = await reachablePrograms(packaged, account, log);
  await ensureCluster({ layout, lock, account, binaries, log });
  await ensureSocketDirectory(layout, account);
  await ensureConfiguration(layout, account);
  // This process has the lock and no server answers, so the socket's lock file is stale. PostgreSQL would not start
  // if another process, or a zombie, has got the process id in that file.
  await rm(socketLockFile(layout), { force: true });
  const paths = await serverPaths(layout, account, lock.fd);
  try {
    return await startServerProcess({
      binaries,
      launcher: launcherFor(account),
      pgdata: layout.pgdata,
      reachedAs: paths.pgdata,
      logFile: layout.logFile,
      settings: [
        ...serverSettings(paths.sockets, connections),
        ...configurationSettings(paths.configuration),
      ],
      inherit: paths.inherit,
      // PostgreSQL refuses to start while a process has the id in postmaster.pid, even if that is another program by
      // now. It ignores the id in this variable. It still checks, by shared memory, for sessions of the old server.
      env: before.kind === 'stale' ? { PG_GRANDPARENT_PID: String(before.pid) } : {},
    });
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw await fileError(`${layout.logFile} cannot be written`, layout.dataDir, error);
  } finally {
    await paths.close();
  }
}
