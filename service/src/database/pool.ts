import { failedAtOnce } from '@svc/pipelined-postgres/at-once';
import { messageSocket } from '@svc/pipelined-postgres/message-socket';
import { clientOfPrimary, createPrimary, type Primary, splitHosts } from '@svc/postgres-hosts';
import {
  answeringClient,
  limitTransactions,
  requirePooled,
  type SessionLimits,
  startupOptions,
  takeOptions,
  transactionSettings,
} from '@svc/postgres-sessions';
import type { Connections } from '@svc/turns/lane';
import pg from 'pg';
import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../config/limits.ts';
import { isRefused, mayBeCommitted, UnknownOutcomeError } from './errors.ts';
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
  /** Whether the URL leads to a pooler in transaction mode. Default: false. */
  readonly pooled?: boolean;
  /** More `options` of the session. Those of the URL override them. */
  readonly options?: string;
  /** Whether an idle connection stays open for a minute. Default: for 10 s. */
  readonly keepsIdle?: boolean;
  /** Is called with each new session. If it throws, the session is closed. */
  readonly check?: (client: pg.ClientBase) => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** The client gives up this much later than the server, so the server runs no statement of a client that is gone. */
const ANSWER_GRACE_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** TCP checks the other side of a connection that is quiet for this long. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** A connection through a pooler, or to a node of a cluster, is opened and checked again after this time. */
const CHECK_AGAIN_SECONDS = 60;

/** For commands: no time limit for statements, nor for transactions that wait for a slow pipe. */
export const FOR_COMMANDS = { idleInTransactionTimeoutMs: 0, answerTimeoutMs: 0 } as const;

/** The limits of a session. */
export const limitsOf = (wanted: Partial<PoolOptions>): SessionLimits => ({
  statementTimeoutMs: wanted.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
  lockTimeoutMs: wanted.lockTimeoutMs ?? 0,
  idleInTransactionTimeoutMs: wanted.idleInTransactionTimeoutMs ?? IDLE_IN_TRANSACTION_TIMEOUT_MS,
  readOnly: wanted.readOnly ?? false,
});

/** The limits of a role behind a pooler: those of the lane for writing, whose transactions need no others. */
const ROLE_LIMITS = limitsOf({ lockTimeoutMs: LOCK_TIMEOUT_MS });

/**
 * A pool of PostgreSQL connections. Its settings override those of the URL, the role and the database: the limits of
 * `wanted`, what every session has (packages/postgres-sessions), and those of {@link setUpSession}. Other `options` of the
 * URL apply. Through a pooler, the role has the settings, which each new connection checks, and transactions set the limits
 * that differ (docs/decisions/0031).
 *
 * A standby is refused. If an idle connection breaks, `onError` is called, and the next query opens a new one.
 */
export function createPool(wanted: PoolOptions): pg.Pool {
  const limits = limitsOf(wanted);
  const { pooled = false } = wanted;
  const perTransaction = pooled ? transactionSettings(limits, ROLE_LIMITS) : '';
  const { url, options } = takeOptions(wanted.url);
  const urls = splitHosts(url);
  const Client = answeringClient(wanted.answerTimeoutMs ?? limits.statementTimeoutMs + ANSWER_GRACE_MS);
  const pool = new pg.Pool({
    connectionString: urls[0],
    max: wanted.max,
    application_name: wanted.name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(wanted.keepsIdle === true ? { idleTimeoutMillis: 0, maxLifetimeSeconds: CHECK_AGAIN_SECONDS } : {}),
    ...(wanted.pipeline === true ? { stream: messageSocket } : {}),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    ...(pooled
      ? { maxLifetimeSeconds: CHECK_AGAIN_SECONDS }
      : { options: startupOptions(`${wanted.options ?? ''} ${options}`, limits) }),
    Client: clientOfPrimary(Client, primaryOf(urls), { writes: !limits.readOnly }),
    onConnect: async (client) => {
      if (pooled) {
        await requirePooled(client, urls[0] ?? url, ROLE_LIMITS);
        limitTransactions(client, perTransaction);
      } else await client.query(setUpSession());
      await wanted.check?.(client);
    },
    types,
    pipeline: wanted.pipeline === true || perTransaction !== '',
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

/**
 * - A commit waits for the disk. All values but `off` do that, such as `local` and `remote_apply`.
 * - A statement is planned once for all values (docs/decisions/0014), unless the URL or the role has another
 *   plan_cache_mode. Citus plans most statements only for their values.
 */
const setUpSession = statement('set_up_session', 'control')`
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'
  union all
  select set_config('plan_cache_mode', 'force_generic_plan', false)
  where current_setting('plan_cache_mode') = 'auto' and to_regclass('pg_dist_partition') is null`;

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
    client.release(broken ?? failedAtOnce(client));
  }
}

/**
 * Commits. Throws if a statement had failed: PostgreSQL then rolls back without an error. Throws UnknownOutcomeError if the
 * connection is lost meanwhile.
 */
export async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query(commitTransaction()).catch((error: unknown) => {
    throw isRefused(error) && !mayBeCommitted(error) ? error : new UnknownOutcomeError(error);
  });
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed.');
}
