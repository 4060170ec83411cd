import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';

/** A transaction whose statements may take as long as they need: counting a large workspace does. */
export const unhurried = <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    return work(client);
  });
