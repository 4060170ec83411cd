import type pg from 'pg';
import { type BoundStatement, statement } from './statement.ts';

/** The most rows that one statement deletes, so that it is short and others do not wait long for it. */
export const CHUNK_ROWS = 1_000;

/**
 * Declares the statement that deletes some of the rows that meet a condition. `key`: the columns of the primary key. The
 * condition is repeated because a row may have changed since the inner statement read it.
 */
export const chunkDeletion = (table: string, key: string, where: string): BoundStatement =>
  statement(`delete_expired_${table}`, 'background: a job, which looks for expired rows of all workspaces')`
    delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${CHUNK_ROWS}) and ${where}`;

/**
 * Deletes all rows that meet the condition, in short statements that commit one by one. Returns the number of rows. The
 * signal stops it between two statements; the next call deletes the rest.
 */
export async function deleteInChunks(
  pool: pg.Pool,
  deletion: BoundStatement,
  values: readonly unknown[],
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const { rowCount } = await pool.query(deletion(...values));
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK_ROWS) break;
  }
  return deleted;
}
