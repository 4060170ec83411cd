import type { PoolOptions } from '@svc/service/database/pool';
import { type DatabaseUser, openCommandDatabase } from '@svc/service/server/open-database';
import type pg from 'pg';
import { withPool } from './pool.ts';
import { type Signals, signalExitCode, watchSignals } from './signals.ts';

type Connections = Pick<PoolOptions, 'max' | 'idleInTransactionTimeoutMs' | 'answerTimeoutMs'>;

export interface ConnectedDatabase {
  readonly pool: pg.Pool;
  /** For connections beyond the pool's. */
  readonly url: string;
}

/**
 * Runs `work` on the database of a command, then closes the database. A signal stops the embedded server that was started
 * for the command, and ends the process with the exit code of the signal, even while the server starts or `work` waits. If
 * `handled` is given, `work` itself must end on these signals. A second signal always ends the process at once; a server
 * that still runs then is stopped by the next command.
 */
export async function useCommandDatabase<T>(
  user: DatabaseUser,
  connections: Connections,
  work: (database: ConnectedDatabase) => Promise<T>,
  handled?: Signals,
): Promise<T> {
  const signals = handled ?? watchSignals();
  void signals.second.then((signal) => process.exit(signalExitCode(signal)));
  const database = await openCommandDatabase(user, signals.abort).catch(async (error: unknown) => {
    if (!signals.abort.aborted) throw error;
    process.exit(signalExitCode(await signals.first));
  });
  const stopped = signals.first.then(async (signal) => {
    if (handled !== undefined) return;
    await database.stop();
    process.exit(signalExitCode(signal));
  });
  try {
    const { url } = database;
    const onError = (error: Error): void => user.log.debug({ err: error }, 'a database connection broke');
    return await withPool({ ...connections, url, name: user.purpose, onError }, (pool) =>
      work({ pool, url }),
    );
  } finally {
    // After a signal, `work` failed because its database was stopped: the exit code of the signal counts.
    if (signals.abort.aborted) await stopped;
    await database.stop();
  }
}
