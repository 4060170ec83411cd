import { setTimeout as delay } from 'node:timers/promises';
import { freeMib } from '../directory/files.ts';
import { DataDirectoryInUseError, EmbeddedError, hasCode, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Server } from '../server/connect.ts';

/** With more crashes and failed starts than this within the window, the supervision gives up. */
const CRASH_LIMIT = 5;
const CRASH_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** With less free space than this, the disk is full for PostgreSQL, which needs room for two files of its log. */
const FULL_MIB = 32;
/** SQLSTATE: somebody has ended the session with SQL, or the server shuts down. */
const ADMIN_SHUTDOWN = '57P01';

type Supervisor = {
  readonly current: () => Server;
  /** Resolves when the server cannot be kept running, with the reason. */
  readonly failed: Promise<EmbeddedError>;
  /** Ends the supervision. Resolves with the server, or with undefined if the connection is lost. */
  readonly end: () => Promise<Server | undefined>;
};

/**
 * Watches the server through the connection that holds its locks. When the connection ends, because a session crashed
 * and the server restarts, or because the server has ended, calls `reopen` to join the server or start it again. While the
 * disk of the directory is full, it tries without an end. A session that somebody ends with SQL is no crash.
 */
export function supervise(
  first: Server,
  reopen: () => Promise<Server>,
  { directory, log }: { readonly directory: string; readonly log: Log },
): Supervisor {
  let current = first;
  let connected = true;
  const stop = new AbortController();
  let recovery = Promise.resolve();
  const crashes: number[] = [];
  const failed = Promise.withResolvers<EmbeddedError>();

  const watch = (): void => {
    let wasEnded = false;
    current.client.on('error', (error) => {
      wasEnded ||= hasCode(error, ADMIN_SHUTDOWN);
    });
    current.client.once('end', () => {
      connected = false;
      if (!stop.signal.aborted) recovery = recover(wasEnded);
    });
  };

  const recover = async (wasEnded: boolean): Promise<void> => {
    const { pid } = current;
    const cause = wasEnded ? 'it shuts down, or its session was ended' : 'it crashed or was killed';
    log.error({ pid }, `lost PostgreSQL (pid ${pid}): ${cause}`);
    const before = crashes.length;
    const started = performance.now();
    let reason: string | undefined;
    for (let pause = FIRST_PAUSE_MS; !stop.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (!(await isFull(directory)) && tooMany(crashes)) return failed.resolve(cannotKeep(reason));
      try {
        current = await reopen();
        connected = true;
        watch();
        if (wasEnded && current.pid === pid) crashes.length = before;
        const ms = Math.round(performance.now() - started);
        return log.warn({ pid: current.pid, ms }, `PostgreSQL (pid ${current.pid}) is running again`);
      } catch (error) {
        if (error instanceof DataDirectoryInUseError) return failed.resolve(error);
        reason = messageOf(error);
        log.error(`PostgreSQL cannot be started again: ${reason}`);
      }
      await delay(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };

  const end = async (): Promise<Server | undefined> => {
    stop.abort();
    await recovery;
    return connected ? current : undefined;
  };

  watch();
  return { current: () => current, failed: failed.promise, end };
}

const isFull = (directory: string): Promise<boolean> =>
  freeMib(directory).then(
    (mib) => mib < FULL_MIB,
    () => false,
  );

function tooMany(crashes: number[]): boolean {
  const now = performance.now();
  crashes.push(now);
  return crashes.filter((at) => now - at < CRASH_WINDOW_MS).length > CRASH_LIMIT;
}

/** `reason`: why the last start has failed; undefined if it has not. */
function cannotKeep(reason: string | undefined): EmbeddedError {
  const counted = `it was lost or could not be started ${CRASH_LIMIT + 1} times within a minute`;
  const why = reason === undefined ? '' : `; the last start failed: ${reason}`;
  return new EmbeddedError(`PostgreSQL could not be kept running: ${counted}${why}`);
}
