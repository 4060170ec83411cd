import { PoolerError } from '@svc/postgres-sessions';
import type pg from 'pg';
import { createPool } from '../../src/database/pool.ts';

/** The role that a pool's statements run as gets the settings that the service asks for, as an operator would set them. */
export async function setUpRole(direct: pg.Pool, poolerUrl: string): Promise<string> {
  const sql = await missingSql(poolerUrl);
  await direct.query(sql);
  return sql;
}

/** The SQL that the refusal of a connection through the pooler contains. Empty if the connection is accepted. */
export async function missingSql(poolerUrl: string): Promise<string> {
  const pool = createPool({ url: poolerUrl, pooled: true, max: 1, name: 'test', onError: () => undefined });
  try {
    await pool.query('select 1');
    return '';
  } catch (error) {
    if (error instanceof PoolerError && error.sql !== '') return error.sql;
    throw error;
  } finally {
    await pool.end();
  }
}
