import type pg from 'pg';
import { inTransaction, removeStatementTimeout } from '../database/pool.ts';

/** A difference between the records and what is stored about them. */
export interface Finding {
  readonly workspaceId: string;
  readonly problem:
    | 'wire JSON'
    | 'order'
    | 'counter'
    | 'clock'
    | 'quota'
    | 'usage'
    | 'feed'
    | 'key'
    | 'words';
  /** The difference, for people: ids and numbers, never content. */
  readonly detail: string;
  /** Whether it was repaired. */
  readonly repaired: boolean;
}

export interface VerifyOptions {
  readonly pool: pg.Pool;
  readonly repair: boolean;
  /** Called with each difference. The verification waits for the result. */
  readonly onFinding: (finding: Finding) => unknown;
  /** Called with the number of records read since the last call. */
  readonly onProgress: (records: number) => void;
}

/** Runs `work` in a transaction without a statement timeout: counting a large workspace may take minutes. */
export const withoutStatementTimeout = <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> =>
  inTransaction(pool, async (client) => {
    await client.query(removeStatementTimeout());
    return work(client);
  });
