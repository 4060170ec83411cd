import { chmod, rm, stat } from 'node:fs/promises';
import { type Account, launcherFor } from '../account/account.ts';
import { serverPaths } from '../account/reach.ts';
import { configurationSettings, ensureConfiguration } from '../cluster/configuration.ts';
import type { Binaries } from '../cluster/programs.ts';
import { ensureSocketDirectory, type Layout, socketLockFile } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import type { DirectoryLock } from '../directory/lock.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { connectTo, type Server, ServerGoneError } from './connect.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import { boundServerLog, passesByItself, serverLogSince, startFailure } from './server-log.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { serverSettings } from './settings.ts';

const GROUP_RIGHTS = 0o070;
const GROUP_WRITE = 0o020;

export type LaunchOptions = {
  readonly layout: Layout;
  /** The server inherits the lock. */
  readonly lock: DirectoryLock;
  /** The state before the start. This process has the lock and no server answers, so it is `none` or `stale`. */
  readonly before: PostmasterState;
  readonly binaries: Pick<Binaries, 'postgres'>;
  /** The owner of the cluster. Undefined: the current user. */
  readonly account: Account | undefined;
  readonly applicationName: string;
  readonly connections: number;
  /** More settings, each `name=value`. */
  readonly settings?: readonly string[];
  /** The name of `postgresql.conf` in the directory of the configuration, if it is another one. */
  readonly settingsFile?: string;
  readonly log: Log;
  /** Ends the wait for the server, which is shut down then. */
  readonly signal?: AbortSignal | undefined;
};

/** Starts the server and connects. Undefined if the same start may succeed later. */
export async function launch(options: LaunchOptions): Promise<Server | undefined> {
  const { layout, before, applicationName, log, signal } = options;
  signal?.throwIfAborted();
  const offset = await boundServerLog(layout.logFile);
  const child = await startProcess(options);
  reached(log, 'server-spawned');
  if (before.kind === 'stale') log.warn('PostgreSQL was not shut down: it recovers from its write-ahead log');
  const started = performance.now();
  try {
    const connection = await connectTo(layout, layout.socketDirectory, applicationName, () => {
      signal?.throwIfAborted();
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
    if (!(error instanceof ServerGoneError)) {
      await endProcess(child);
      throw error;
    }
  }
  // Another command was faster to connect, was the last user, and has shut the server down.
  if (child.outcome() === 'exit code 0') return undefined;
  const output = await serverLogSince(layout.logFile, offset);
  if (passesByItself(output)) return undefined;
  throw startFailure(layout, child.outcome() ?? 'ended', output);
}

/** A fast shutdown, which a server in recovery obeys too. */
async function endProcess({ pid, ended }: ServerProcess): Promise<void> {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
  await ended();
}

/**
 * Closes the data to the group if the group may write: PostgreSQL would refuse it. Kubernetes lets the group write to all
 * directories of a volume with an `fsGroup`. Only for the current user: root would follow links of another user.
 */
async function closeToGroup({ pgdata }: Layout, account: Account | undefined): Promise<void> {
  if (account !== undefined) return;
  const { mode } = await stat(pgdata);
  if ((mode & GROUP_WRITE) !== 0) await chmod(pgdata, mode & ~GROUP_RIGHTS);
}

async function startProcess(options: LaunchOptions): Promise<ServerProcess> {
  const { layout, lock, before, binaries, account, connections, settings = [] } = options;
  await closeToGroup(layout, account);
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
        ...configurationSettings(paths.configuration, options.settingsFile),
        ...settings,
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
