import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';

/** Runs `work` in a transaction without a statement timeout: counting a large workspace may take minutes. */
export const withoutStatementTimeout = <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    return work(client);
  });
