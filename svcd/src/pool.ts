import { createPool, type PoolOptions } from '@svc/service/database/pool';
import type pg from 'pg';

export type CommandPoolOptions = Omit<PoolOptions, 'onError'> & Partial<Pick<PoolOptions, 'onError'>>;

/** Runs `work` with a pool of connections, and closes it. Default of `onError`: broken idle connections are ignored. */
export async function withPool<T>(
  options: CommandPoolOptions,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool({ onError: () => undefined, ...options });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Runs `work` with one connection of a pool, and ends both. */
export const withClient = <T>(
  options: CommandPoolOptions,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  withPool(options, async (pool) => {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release(true);
    }
  });
