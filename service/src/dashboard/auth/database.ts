import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connections } from '@svc/turns/lane';
import { APIError } from 'better-auth/api';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { failedFor, isUnavailable } from '../../database/errors.ts';
import { inTransaction } from '../../database/pool.ts';

const FIRST_SERVER_ERROR = 500;

/** The context of the running work. The statements of better-auth, and ours in its hooks, read it. */
interface Scope {
  /** The transaction of all statements. Undefined: each statement is its own transaction. */
  readonly transaction?:
    | { readonly client: pg.PoolClient; readonly forKysely: PostgresPoolClient }
    | undefined;
  /** The actor for the audit log. */
  readonly by: ActorContext;
  /**
   * The error of the last failed statement, except one that failed only because its transaction had failed before. The
   * errors and responses of better-auth do not contain it.
   */
  failure?: unknown;
}

export interface AuthDatabase {
  readonly kysely: Kysely<unknown>;
  /**
   * Runs better-auth, in the running transaction if there is one. Throws the error of a statement if the database was
   * unavailable, or if better-auth only says that something failed.
   */
  run<T>(by: ActorContext, work: () => Promise<T>): Promise<T>;
  /** Runs better-auth and our own statements as one transaction. Throws as `run` does. */
  transact<T>(by: ActorContext, work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /**
   * For better-auth's hooks: gives `work` the running transaction, or a new one, and the actor. Throws outside of `run` and
   * `transact`.
   */
  join<T>(work: (client: pg.PoolClient, by: ActorContext) => Promise<T>): Promise<T>;
}

/** better-auth compares times as dates, but the pool leaves them as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * Creates a Kysely for better-auth over the service's pool. A change and its audit entry must be committed together.
 * better-auth has no transaction that its caller could join: its handler starts its own context, and its plugins bypass
 * that context. Therefore Kysely gets the connection of the transaction that runs in the current asynchronous context.
 */
export function createAuthDatabase(pool: Connections, accounts = pool): AuthDatabase {
  const scopes = new AsyncLocalStorage<Scope>();
  const failed = (error: unknown): never => {
    // PostgreSQL puts the row that it refused into the detail: a session's token or a password's hash.
    if (error instanceof pg.DatabaseError) error.detail = undefined;
    const scope = scopes.getStore();
    const isConsequence = failedFor(error, 'in_failed_sql_transaction');
    if (scope !== undefined && (scope.failure === undefined || !isConsequence)) scope.failure = error;
    throw error;
  };
  /** A connection for Kysely. Its statements run one after the other, although better-auth starts two at the same time. */
  const forKysely = (client: pg.PoolClient, release: PostgresPoolClient['release']): PostgresPoolClient => {
    let last: Promise<unknown> = Promise.resolve();
    const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
      const result = last.then(() => client.query({ text, values: [...values], types })).catch(failed);
      last = result.catch(() => undefined);
      return result;
    };
    // Kysely's type also has the overload for cursors, which better-auth does not use.
    return { query: query as PostgresPoolClient['query'], release };
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const transaction = scopes.getStore()?.transaction;
    if (transaction !== undefined) return transaction.forKysely;
    const client = await pool.connect().catch(failed);
    return forKysely(client, (destroy) => client.release(destroy));
  };
  const runIn = async <T>(scope: Scope, work: () => Promise<T>): Promise<T> => {
    try {
      const result = await scopes.run(scope, work);
      if (isUnavailable(scope.failure) || (scope.failure !== undefined && isServerError(result))) {
        throw scope.failure;
      }
      return result;
    } catch (error) {
      throw isServerError(error) ? (scope.failure ?? error) : error;
    }
  };
  const transact: AuthDatabase['transact'] = (by, work) =>
    inTransaction(accounts, (client) => {
      const transaction = { client, forKysely: forKysely(client, () => undefined) };
      return runIn({ by, transaction }, () => work(client));
    });
  return {
    kysely: new Kysely({
      // The application ends the pool.
      dialect: new PostgresDialect({ pool: { connect, end: () => Promise.resolve(), options: {} } }),
    }),
    run: (by, work) => runIn({ by, transaction: scopes.getStore()?.transaction }, work),
    transact,
    join: async (work) => {
      const scope = scopes.getStore();
      if (scope === undefined)
        throw new Error('This change has no actor: it runs outside of run and transact.');
      const { transaction, by } = scope;
      return transaction === undefined ? transact(by, (own) => work(own, by)) : work(transaction.client, by);
    },
  };
}

/** Whether an error or a response of better-auth only says that something failed. */
const isServerError = (value: unknown): boolean =>
  (value instanceof APIError && value.statusCode >= FIRST_SERVER_ERROR) ||
  (value instanceof Response && value.status >= FIRST_SERVER_ERROR);
