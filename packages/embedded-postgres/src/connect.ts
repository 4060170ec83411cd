import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { errorCode, errorMessage } from './error.ts';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** What a server that is not there yet, or not yet done with its recovery, answers. */
const NOT_YET: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  // cannot_connect_now: starting up, in recovery, shutting down.
  '57P03',
]);

/** SQLSTATEs admin_shutdown and crash_shutdown, and what a socket says. */
const LOST: ReadonlySet<string | undefined> = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE']);

/** Whether this is the end of the connection, not an answer of the server. */
export function isConnectionLoss(error: unknown): boolean {
  // The driver has no code for these two.
  return LOST.has(errorCode(error)) || /^Connection terminated|not queryable$/.test(errorMessage(error));
}

/**
 * Connects as soon as the server takes connections. Crash recovery may take minutes, so there is no time limit:
 * `alive` is asked before each attempt and throws when it is no use to wait any longer.
 */
export async function connectWhenReady(config: pg.ClientConfig, alive: () => unknown): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await alive();
    const client = new pg.Client(config);
    // A connection that breaks later says so by its `end` event; without a listener an `error` ends the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!NOT_YET.has(errorCode(error)) && !isConnectionLoss(error)) throw error;
    }
    await delay(pause);
  }
}
