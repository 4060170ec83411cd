import type pg from 'pg';
import {
  createPipelinedConnection,
  isLocked,
  isUnprepared,
  type PipelinedConnection,
  type PipelinedStatement,
} from './connection.ts';
import { OPEN_TIMEOUT_MS } from './limits.ts';
import { createAvoided, createDebts, createPauses } from './memory.ts';

export interface PipelineOptions {
  /** Opens the connection: in pipeline mode, and with the time limits of limits.ts. The pool has no other client. */
  readonly pool: Pick<pg.Pool, 'connect'>;
  /** The turns of the owners, at most STATEMENTS_MAX at the same time, and STATEMENTS_PER_OWNER_MAX of one owner. */
  readonly turns: {
    take(owner: string): Promise<void> | undefined;
    leave(owner: string): void;
  };
  /** Whether a statement failed because the server or the connection cannot answer it now. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Gets the reason each time when the connection is closed. */
  readonly onError: (error: Error) => void;
  /** Whether statements wait while the connection is being opened. Otherwise they run elsewhere. Default: true. */
  readonly waitsForOpening?: boolean;
}

/** One pipelined connection, which the owners share. */
export interface Pipeline {
  /**
   * Runs a statement of bounded cost that only reads, on the connection or, if that cannot be, with `elsewhere`. `avoided`:
   * it may be slow, so it must not share another connection.
   */
  run<Row extends pg.QueryResultRow>(
    owner: string,
    query: NamedQuery,
    elsewhere: (avoided: boolean) => Promise<pg.QueryResult<Row>>,
  ): Promise<pg.QueryResult<Row>>;
  /** Returns the connection to its pool. All statements run elsewhere from now on. */
  end(): Promise<void>;
}

/** A statement that the connection prepares under its name. */
export type NamedQuery = PipelinedStatement['query'];

/** A statement whose connection fails because of another one runs there once more. */
const ATTEMPTS = 2;

/**
 * Opens the connection for the first statement. The server runs its statements one after another, so a slow one delays the
 * others, but only once: the connection is closed, the statement runs elsewhere, as do further ones of its owner or with its
 * name for a while, and the others run again on a new connection. docs/decisions/0016 has the reasons.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { pool, turns, isUnavailable, onError, waitsForOpening = true } = options;
  const avoided = createAvoided();
  const debts = createDebts();
  const pauses = createPauses();
  let connection: PipelinedConnection | undefined;
  let opening: Promise<PipelinedConnection | undefined> | undefined;
  let ended = false;

  const answered = (statement: PipelinedStatement, ms: number): void => {
    if (debts.add(statement.owner, ms)) return;
    connection?.fail(new Error('The statements of an owner were slow.'), statement);
  };
  const failed = (error: Error, cause: PipelinedStatement | undefined): void => {
    connection = undefined;
    pauses.failed();
    // A read waits for no lock but that of a table, which delays this statement for all owners.
    if (cause !== undefined) avoided.add(isLocked(error) ? nameKey(cause) : ownerKey(cause));
    onError(error);
  };
  const connect = async (): Promise<void> => {
    try {
      const client = await pool.connect();
      if (ended) client.release();
      else connection = createPipelinedConnection(client, { answered, failed });
    } catch {
      pauses.failed();
    }
    opening = undefined;
  };
  /** Resolves once the connection is open. Undefined: it does not open soon. */
  const open = (): Promise<PipelinedConnection | undefined> => {
    const { promise, resolve } = Promise.withResolvers<PipelinedConnection | undefined>();
    const giveUp = setTimeout(() => resolve(undefined), OPEN_TIMEOUT_MS);
    void connect().then(() => {
      clearTimeout(giveUp);
      resolve(connection);
    });
    return promise;
  };
  const current = (): typeof connection | typeof opening => {
    if (connection !== undefined || ended) return connection;
    if (opening === undefined && pauses.isOver()) opening = open();
    return waitsForOpening ? opening : undefined;
  };

  const run: Pipeline['run'] = async (owner, query, elsewhere) => {
    const statement = { owner, query };
    const isAvoided = (): boolean => avoided.has(ownerKey(statement)) || avoided.has(nameKey(statement));
    for (let attempt = 1; attempt <= ATTEMPTS && !isAvoided() && current() !== undefined; attempt++) {
      const turn = turns.take(owner);
      if (turn !== undefined) await turn;
      try {
        const found = current();
        const open = found instanceof Promise ? await found : found;
        if (open === undefined || isAvoided()) break;
        return await open.query(statement);
      } catch (error) {
        if (!isUnavailable(error) && !isUnprepared(error)) throw error;
      } finally {
        turns.leave(owner);
      }
    }
    return elsewhere(isAvoided());
  };

  return {
    run,
    async end() {
      ended = true;
      await opening;
      connection?.release();
      connection = undefined;
    },
  };
}

const ownerKey = ({ owner }: PipelinedStatement): string => `owner ${owner}`;
const nameKey = ({ query }: PipelinedStatement): string => `statement ${query.name}`;
