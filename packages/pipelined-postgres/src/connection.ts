import type { Socket } from 'node:net';
import pg from 'pg';
import { ANSWER_TIMEOUT_MS } from './limits.ts';

/** A statement that one of the owners runs. */
export interface PipelinedStatement {
  readonly owner: string;
  readonly query: pg.QueryConfig & { readonly name: string };
}

/** A connection that sends statements while others still run. The server runs them one after another. */
export interface PipelinedConnection {
  /** Throws what the statement throws. If the connection fails, all of its statements fail. */
  query(statement: PipelinedStatement): Promise<pg.QueryResult>;
  /** Closes the connection, because of a statement or for another reason. */
  fail(error: Error, cause?: PipelinedStatement): void;
  /** Returns the connection to its pool. Statements that still run get their results. */
  release(): void;
}

export interface PipelineEvents {
  /** A statement has its result. The server needed at most this time for it. */
  answered(statement: PipelinedStatement, ms: number): void;
  /** The connection is closed, because of a statement or for another reason. */
  failed(error: Error, cause: PipelinedStatement | undefined): void;
}

/**
 * Statements of the same turn of the event loop share a socket write. If the server sends nothing for
 * ANSWER_TIMEOUT_MS although statements wait, or if it cancels one, the connection fails.
 */
export function createPipelinedConnection(
  client: pg.PoolClient,
  events: PipelineEvents,
): PipelinedConnection {
  const socket = client.connection.stream as Socket;
  /** The statements without a result, in the order in which the server runs them. */
  const sent = new Set<PipelinedStatement>();
  let firstSinceMs = 0;
  let silence: NodeJS.Timeout | undefined;
  let gathering = false;
  let done = false;

  const gatherWrites = (): void => {
    if (gathering) return;
    gathering = true;
    socket.cork();
    setImmediate(() => {
      gathering = false;
      socket.uncork();
    });
  };
  const fail = (error: Error, cause?: PipelinedStatement): void => {
    if (done) return;
    done = true;
    clearTimeout(silence);
    // The release of a connection that is still open waits for its statements.
    socket.destroy();
    client.release(error);
    events.failed(error, cause);
  };
  const watch = (): void => {
    silence = setTimeout(() => {
      const [first] = sent;
      // After a long turn of the event loop, results that have arrived are read first.
      setImmediate(() => {
        if (first !== undefined && sent.has(first)) fail(noAnswer(), first);
      });
    }, ANSWER_TIMEOUT_MS);
  };
  const add = (statement: PipelinedStatement): void => {
    if (sent.size === 0) {
      firstSinceMs = performance.now();
      watch();
    }
    sent.add(statement);
  };
  /** Returns how long the statement was the first one. */
  const remove = (statement: PipelinedStatement): number => {
    const nowMs = performance.now();
    const ms = nowMs - firstSinceMs;
    firstSinceMs = nowMs;
    sent.delete(statement);
    if (sent.size === 0) clearTimeout(silence);
    else if (!done) silence?.refresh();
    return ms;
  };

  client.once('error', (error) => fail(error));
  return {
    async query(statement) {
      add(statement);
      gatherWrites();
      try {
        const result = await run(client, statement.query);
        const ms = remove(statement);
        if (!done) events.answered(statement, ms);
        return result;
      } catch (error) {
        remove(statement);
        if (error instanceof Error && isSlow(error)) fail(error, statement);
        throw error;
      }
    },
    fail,
    release() {
      if (done) return;
      done = true;
      clearTimeout(silence);
      client.release();
    },
  };
}

/** A client whose `query` takes a query of pg and a callback. The types of pg lack this form. */
interface Runs {
  query(query: pg.Query, callback: (error: Error | null, result: pg.QueryResult) => void): void;
}

/**
 * Makes its own promise. With the promise of `client.query`, V8 keeps the result until it collects the whole heap, which
 * costs a quarter of the processor time of a page. It also makes its own query, with all properties of `config`: pg would
 * copy their descriptors. The callback is an argument, because a session through a pooler wraps `client.query`.
 */
const run = (client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const query = Object.assign(new pg.Query(config.text, config.values), config);
    (client as unknown as Runs).query(query, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });

/** SQLSTATEs (PostgreSQL, appendix A). */
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
const INVALID_SQL_STATEMENT_NAME = '26000';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
/** Whether the statement waited too long for the lock of a table. */
export const isLocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;
/** Whether the statement before it, which prepares the same name, has failed. */
export const isUnprepared = (error: unknown): boolean => codeOf(error) === INVALID_SQL_STATEMENT_NAME;
const isSlow = (error: unknown): boolean => isLocked(error) || codeOf(error) === QUERY_CANCELED;

const noAnswer = (): Error =>
  Object.assign(new Error(`the database has not answered for ${ANSWER_TIMEOUT_MS} ms`), {
    code: 'ETIMEDOUT',
  });
