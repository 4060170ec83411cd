import pg from 'pg';
import { STATEMENT_TIMEOUT_MS } from '../config/limits.ts';
import { answeringClient } from './answering-client.ts';
import type { Connections } from './lane.ts';
import { takeOptions } from './url-options.ts';

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
  /**
   * How long a transaction may do nothing before the server ends it, so that a node that is frozen or cut off does not
   * keep its locks. Default: 10 s. 0: for ever, for work that waits for its input meanwhile.
   */
  readonly idleInTransactionTimeoutMs?: number;
  /** How long one statement may take before the server ends it. Default: 30 s. */
  readonly statementTimeoutMs?: number;
  /** How long one statement may wait for a lock (SQLSTATE 55P03 after it). Default: as long as it may take. */
  readonly lockTimeoutMs?: number;
  /** Whether the server refuses to write. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Whether a statement is sent while others of its connection still run (pg's pipeline mode, which takes no COPY).
   * Default: false.
   */
  readonly pipeline?: boolean;
  /**
   * How long the server may say nothing while a statement runs before its connection is given up (ETIMEDOUT), so that
   * a network that swallows everything does not hang requests. Default: a little longer than a statement may take.
   * 0: for ever, for work that lifts statement_timeout.
   */
  readonly answerTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** How much later than the server the client gives up: no statement runs on that nobody waits for. */
const ANSWER_GRACE_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** A connection that is quiet for this long is asked by TCP whether the other side is still there. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** For operators' commands: statements without a time limit, transactions that wait for a slow pipe. */
export const FOR_COMMANDS = { idleInTransactionTimeoutMs: 0, answerTimeoutMs: 0 } as const;

/**
 * A pool of PostgreSQL connections in UTC, with the time limits above whatever the URL, the role or the database say;
 * the URL's other `options` hold. Cursors carry times as text, so their style is one; what waits for a lock must see
 * what was committed meanwhile, so the isolation is `read committed`. What is committed is on the disk: where the role or
 * the database turns `synchronous_commit` off, the session turns it on again.
 * An idle connection that breaks is reported to `onError` and replaced by the next query.
 */
export function createPool(wanted: PoolOptions): pg.Pool {
  const idleMs = wanted.idleInTransactionTimeoutMs ?? IDLE_IN_TRANSACTION_TIMEOUT_MS;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = 0, readOnly = false } = wanted;
  const { url, options } = takeOptions(wanted.url);
  const pool = new pg.Pool({
    connectionString: url,
    max: wanted.max,
    application_name: wanted.name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    options:
      `${options} -c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed -c statement_timeout=${statementTimeoutMs} ` +
      `-c lock_timeout=${lockTimeoutMs} -c default_transaction_read_only=${readOnly} -c idle_in_transaction_session_timeout=${idleMs}`,
    Client: answeringClient(wanted.answerTimeoutMs ?? statementTimeoutMs + ANSWER_GRACE_MS),
    onConnect: async (client) => {
      if (!readOnly) await client.query(DURABLE);
    },
    types,
    pipeline: wanted.pipeline ?? false,
  });
  pool.on('error', (error: Error & { client?: unknown }) => {
    // pg adds the client, with its statements, their values and the key that cancels them. None of it is for a log.
    delete error.client;
    wanted.onError(error);
  });
  // One that breaks while it is out tells whoever uses it by the next query; without a listener Node ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** `local`, `remote_apply` and the like stay: they all wait for the disk. */
const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Runs `work` in one transaction; rolls back when it throws. */
export async function inTransaction<T>(
  connections: Pick<Connections, 'connect'>,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connections.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await commit(client);
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

/** Commits. A transaction in which a statement failed is rolled back by PostgreSQL, without an error: here it is one. */
export async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('commit');
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed.');
}
