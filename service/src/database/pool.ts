import { clientOfPrimary, createPrimary, type Primary, splitHosts } from '@svc/postgres-hosts';
import { answeringClient, takeOptions } from '@svc/postgres-sessions';
import pg from 'pg';
import { STATEMENT_TIMEOUT_MS } from '../config/limits.ts';
import { isRefused, UnknownOutcomeError } from './errors.ts';
import type { Connections } from './lane.ts';
import { statement } from './statement.ts';

/** Times stay text, so that they keep their microseconds. A bigint becomes a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.TIMESTAMPTZ || oid === pg.types.builtins.DATE)
      return (text: string) => text;
    return pg.types.getTypeParser(oid, format);
  },
};

export interface PoolOptions {
  /** With one host, or several: then sessions are those of the primary. */
  readonly url: string;
  /** The most connections. */
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  readonly onError: (error: Error) => void;
  /**
   * How long a transaction may be idle before the server ends it, so that a frozen or disconnected node does not keep its
   * locks. Default: 10 s. 0: no limit, for work that waits for its input meanwhile.
   */
  readonly idleInTransactionTimeoutMs?: number;
  /** How long one statement may take before the server ends it. Default: 30 s. */
  readonly statementTimeoutMs?: number;
  /** How long one statement may wait for a lock; then it fails with SQLSTATE 55P03. Default: only the statement timeout. */
  readonly lockTimeoutMs?: number;
  /** Whether the server refuses to write. Default: false. */
  readonly readOnly?: boolean;
  /** Whether a connection sends a statement while others still run (pg's pipeline mode, without COPY). Default: false. */
  readonly pipeline?: boolean;
  /**
   * How long the server may send nothing while a statement runs before the connection is closed (ETIMEDOUT), so that
   * requests do not hang if the network loses all packets. Default: slightly longer than the statement timeout. 0: no
   * limit, for work without a statement timeout.
   */
  readonly answerTimeoutMs?: number;
}

/**
 * Prefers the index that has the order of a statement, whatever the statistics say. A statement for which there is no
 * such index still sorts. PostgreSQL 15 counts each forbidden step as an immense cost, at which it would compile the
 * statement (jit). docs/decisions/0014 has the reasons.
 */
const PLANS = ['enable_sort', 'enable_incremental_sort', 'enable_bitmapscan', 'enable_seqscan', 'jit']
  .map((name) => `-c ${name}=off`)
  .join(' ');

const CONNECT_TIMEOUT_MS = 5_000;
/** The client gives up this much later than the server, so the server runs no statement of a client that is gone. */
const ANSWER_GRACE_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** TCP checks the other side of a connection that is quiet for this long. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** For commands: no time limit for statements, nor for transactions that wait for a slow pipe. */
export const FOR_COMMANDS = { idleInTransactionTimeoutMs: 0, answerTimeoutMs: 0 } as const;

/**
 * A pool of PostgreSQL connections. Its settings override those of the URL, the role and the database:
 *
 * - the time limits of `wanted`;
 * - UTC and the ISO style, because cursors contain times as text;
 * - `read committed`, because a transaction that waited for a lock must see what was committed meanwhile;
 * - `synchronous_commit`, because a commit must be on the disk;
 * - {@link PLANS}.
 *
 * Other `options` of the URL apply. A server that is a standby is refused. If an idle connection breaks, `onError` is
 * called, and the next query opens a new one.
 */
export function createPool(wanted: PoolOptions): pg.Pool {
  const idleMs = wanted.idleInTransactionTimeoutMs ?? IDLE_IN_TRANSACTION_TIMEOUT_MS;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = 0, readOnly = false } = wanted;
  const { url, options } = takeOptions(wanted.url);
  const urls = splitHosts(url);
  const Client = answeringClient(wanted.answerTimeoutMs ?? statementTimeoutMs + ANSWER_GRACE_MS);
  const pool = new pg.Pool({
    connectionString: urls[0],
    max: wanted.max,
    application_name: wanted.name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    options:
      `${options} -c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed -c statement_timeout=${statementTimeoutMs} ` +
      `-c lock_timeout=${lockTimeoutMs} -c default_transaction_read_only=${readOnly} -c idle_in_transaction_session_timeout=${idleMs} ${PLANS}`,
    Client: clientOfPrimary(Client, primaryOf(urls), { writes: !readOnly }),
    onConnect: async (client) => {
      if (!readOnly) await client.query(makeDurable());
    },
    types,
    pipeline: wanted.pipeline ?? false,
  });
  pool.on('error', (error: Error & { client?: unknown }) => {
    // pg adds the client, with its statements, their values and its cancel key. A log must not contain them.
    delete error.client;
    wanted.onError(error);
  });
  // If a connection in use breaks, its next query fails. Without a listener, Node would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** The primaries of the URLs with several hosts, each shared by the pools of its URL: a process has one such URL, or two. */
const primaries = new Map<string, Primary>();

function primaryOf(urls: readonly string[]): Primary {
  if (urls.length === 1) return createPrimary(urls);
  const key = urls.join(' ');
  const primary = primaries.get(key) ?? createPrimary(urls);
  primaries.set(key, primary);
  return primary;
}

/** Changes only `off`: all other values, such as `local` and `remote_apply`, wait for the disk. */
const makeDurable = statement('make_durable', 'control')`
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

export const begin = statement('begin', 'control')`begin`;
export const rollback = statement('rollback', 'control')`rollback`;
const commitTransaction = statement('commit', 'control')`commit`;
/** Until the transaction ends. */
export const removeStatementTimeout = statement('remove_statement_timeout', 'control')`
  set local statement_timeout = 0`;

/** Runs `work` in one transaction; rolls back when it throws. Throws UnknownOutcomeError as {@link commit} does. */
export async function inTransaction<T>(
  connections: Pick<Connections, 'connect'>,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connections.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin());
    const result = await work(client);
    await commit(client);
    return result;
  } catch (error) {
    await client.query(rollback()).catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Commits. Throws if a statement had failed: PostgreSQL then rolls back without an error. Throws UnknownOutcomeError if the
 * connection is lost meanwhile.
 */
export async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query(commitTransaction()).catch((error: unknown) => {
    throw isRefused(error) ? error : new UnknownOutcomeError(error);
  });
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed.');
}
