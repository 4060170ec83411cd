import type pg from 'pg';

/** The most rows that one statement deletes, so that it is short and others do not wait long for it. */
const CHUNK_ROWS = 1_000;

/** The rows to delete. All of it is SQL of this program, never text of a request. */
export interface Chunked {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly where: string;
  readonly values?: readonly unknown[];
}

/**
 * Deletes all rows that meet a condition, in short statements that commit one by one. Returns the number of rows. The
 * signal stops it between two statements; the next call deletes the rest.
 */
export async function deleteInChunks(
  pool: pg.Pool,
  { table, key, where, values = [] }: Chunked,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    // The condition is repeated because a row may have changed since the inner statement read it.
    const { rowCount } = await pool.query(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${CHUNK_ROWS}) and ${where}`,
      [...values],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK_ROWS) break;
  }
  return deleted;
}
