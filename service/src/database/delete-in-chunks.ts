import type pg from 'pg';

/** Rows that one statement removes at most: it is short, and so is what waits for it. */
const CHUNK_ROWS = 1_000;

/** What to remove. All of it is SQL of our code, never a request's text. */
export interface Chunked {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: string;
  readonly where: string;
  readonly values?: readonly unknown[];
}

/**
 * Removes every row that meets a condition, in as many short statements as it takes, each committed by itself; returns
 * how many there were. The signal ends it between two: what is left is for the next time.
 */
export async function deleteInChunks(
  pool: pg.Pool,
  { table, key, where, values = [] }: Chunked,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    // The condition again: a row may have been renewed since the inner statement saw it.
    const { rowCount } = await pool.query(
      `delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${CHUNK_ROWS}) and ${where}`,
      [...values],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < CHUNK_ROWS) break;
  }
  return deleted;
}
