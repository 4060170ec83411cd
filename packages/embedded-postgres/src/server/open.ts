import { setTimeout as delay } from 'node:timers/promises';
import { type Account, clusterAccount, isShared } from '../account/account.ts';
import { ensureCluster } from '../cluster/initialise.ts';
import { type Binaries, reachablePrograms, usablePrograms } from '../cluster/programs.ts';
import { finishSwitch } from '../cluster/switch.ts';
import { isCluster } from '../cluster/version.ts';
import type { Layout } from '../directory/data-directory.ts';
import { ensureWritable } from '../directory/files.ts';
import { type DirectoryLock, lockHolder, tryLock } from '../directory/lock.ts';
import { EmbeddedError } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { answers, joinServer, type Server, socketDirectories } from './connect.ts';
import { launch } from './launch.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';

/**
 * How long to wait while another process has the lock and no server answers. That process may be creating the cluster.
 */
const PATIENCE_MS = 60_000;
const RETRY_PAUSE_MS = 50;
const NOTICE_AFTER_MS = 2_000;

/**
 * Connects to the server of a data directory. Starts the server if it does not run, and creates the cluster if there is
 * none. Waits for the end of a crash recovery without a time limit, but not after `signal`.
 */
export async function openServer(
  layout: Layout,
  applicationName: string,
  connections: number,
  log: Log,
  { patienceMs = PATIENCE_MS, signal }: { patienceMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<Server> {
  const started = performance.now();
  for (let noticed = false; ; ) {
    const server =
      (await joinRunning(layout, applicationName, signal)) ??
      (await startServer(layout, applicationName, connections, log, signal));
    if (server !== undefined) return server;
    const waited = performance.now() - started;
    if (waited > patienceMs) throw await lockedError(layout);
    if (!noticed && waited > NOTICE_AFTER_MS) {
      noticed = true;
      log.info(`waits for the data directory ${layout.dataDir}, locked by ${await lockHolder(layout)}`);
    }
    await delay(RETRY_PAUSE_MS, undefined, { signal });
  }
}

/** Joins the running server, unless it is one of another major version that an earlier release has left running. */
async function joinRunning(
  layout: Layout,
  applicationName: string,
  signal: AbortSignal | undefined,
): Promise<Server | undefined> {
  // Throws an error that names the owner if another user owns the files.
  await clusterAccount(layout);
  await isCluster(layout);
  return joinServer(layout, applicationName, signal);
}

export async function lockedError(layout: Layout): Promise<EmbeddedError> {
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
  signal: AbortSignal | undefined,
): Promise<Server | undefined> {
  const lock = await tryLock(layout, applicationName);
  if (lock === undefined) return undefined;
  try {
    reached(log, 'locked');
    const before = await findStopped(layout);
    // A server runs that version 0.1.0 started without the lock, or that another process started after joinServer looked.
    if (before === undefined) return undefined;
    await ensureWritable(layout.dataDir);
    // An upgrade that was killed in its last step has left no cluster in place.
    await finishSwitch(layout, log);
    const programs = await preparePrograms(layout, lock, log);
    return await launch({ layout, lock, before, ...programs, applicationName, connections, log, signal });
  } finally {
    // The server has inherited the lock.
    await lock.release();
  }
}

/** The state of a server that does not run. Undefined if one runs. */
export async function findStopped(layout: Layout): Promise<PostmasterState | undefined> {
  const found = await findPostmaster(layout.pgdata);
  if (found.kind === 'running' || (await anyAnswers(socketDirectories(layout, found)))) return undefined;
  return found;
}

async function anyAnswers(directories: readonly string[]): Promise<boolean> {
  const found = await Promise.all(directories.map(answers));
  return found.includes(true);
}

/** The packaged programs, and the user that they run as. Creates the cluster if there is none. */
async function preparePrograms(
  layout: Layout,
  lock: DirectoryLock,
  log: Log,
): Promise<{ readonly binaries: Binaries; readonly account: Account | undefined }> {
  const [packaged, account] = await Promise.all([usablePrograms(layout, log), clusterAccount(layout)]);
  if (account !== undefined && isShared(account)) {
    log.warn(
      `the database belongs to the user ${account.name}, and other programs of this user can change it. To give ` +
        `it a user of its own, stop the service, then: useradd --system svc; chown -R svc: ${layout.pgdata}`,
    );
  }
  const binaries = await reachablePrograms(packaged, account, log);
  await ensureCluster({ layout, lock, account, binaries, log });
  return { binaries, account };
}
