import type pg from 'pg';
import { createPool, type PoolOptions } from '../database/pool.ts';
import { type DatabaseUser, openCommandDatabase } from '../server/open-database.ts';
import { type Signals, signalExitCode, watchSignals } from './signals.ts';

type Connections = Pick<PoolOptions, 'max' | 'idleInTransactionTimeoutMs' | 'answerTimeoutMs'>;

export interface ConnectedDatabase {
  readonly pool: pg.Pool;
  /** For connections beyond the pool's. */
  readonly url: string;
}

/**
 * Runs `work` on the database of a command and lets go of it. A signal ends the command with the exit code that says so,
 * whatever `work` waits for; an embedded server that was started for the command does not stay behind. `handled`: the
 * signals that `work` itself comes to an end by.
 */
export async function useCommandDatabase<T>(
  user: DatabaseUser,
  connections: Connections,
  work: (database: ConnectedDatabase) => Promise<T>,
  handled?: Signals,
): Promise<T> {
  const signals = handled === undefined ? watchSignals() : undefined;
  // Before the database is open there is nothing that a second one could leave behind in disorder.
  void signals?.second.then((signal) => process.exit(signalExitCode(signal)));
  const database = await openCommandDatabase(user);
  const ended = signals?.first.then(async (signal) => {
    await database.stop();
    process.exit(signalExitCode(signal));
  });
  try {
    return await withPool(user, database.url, connections, work);
  } finally {
    // What it failed of then is its database that went away.
    if (signals?.abort.aborted) await ended;
    await database.stop();
  }
}

async function withPool<T>(
  { purpose, log }: DatabaseUser,
  url: string,
  connections: Connections,
  work: (database: ConnectedDatabase) => Promise<T>,
): Promise<T> {
  const onError = (error: Error): void => log.debug({ err: error }, 'a database connection broke');
  const pool = createPool({ ...connections, url, name: purpose, onError });
  try {
    return await work({ pool, url });
  } finally {
    await pool.end();
  }
}
