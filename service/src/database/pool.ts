import pg from 'pg';

/** PostgreSQL's text stays text: times keep their microseconds, and bigints are counted as numbers only here. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.TIMESTAMPTZ || oid === pg.types.builtins.DATE)
      return (text: string) => text;
    return pg.types.getTypeParser(oid, format);
  },
};

export interface PoolOptions {
  readonly url: string;
  /** Connections at most. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly onError: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * A pool of PostgreSQL connections in UTC. An idle connection that breaks is reported to `onError` and replaced
 * by the next query.
 */
export function createPool({ url, max, name, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: `-c TimeZone=UTC -c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    types,
  });
  pool.on('error', onError);
  // One that breaks while it is out tells whoever uses it by the next query; without a listener Node ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export interface TransactionOptions {
  /** How long one statement may wait for a lock (SQLSTATE 55P03 after it). Default: as long as a statement may take. */
  readonly lockTimeoutMs?: number;
}

/** Runs `work` in one transaction; rolls back when it throws. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  { lockTimeoutMs }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // A number of ours, and one round trip for both.
    await client.query(
      lockTimeoutMs === undefined ? 'begin' : `begin; set local lock_timeout = ${lockTimeoutMs}`,
    );
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
