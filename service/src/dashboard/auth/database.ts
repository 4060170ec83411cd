import { AsyncLocalStorage } from 'node:async_hooks';
import { APIError } from 'better-auth/api';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import type { Connections } from '../../database/lane.ts';
import { inTransaction } from '../../database/pool.ts';

const FIRST_SERVER_ERROR = 500;

/** The context of the running work. The statements of better-auth, and ours in its hooks, read it. */
interface Scope {
  /** The transaction of all statements. Undefined: each statement is its own transaction. */
  readonly client: pg.PoolClient | undefined;
  /** The actor for the audit log. */
  readonly by: ActorContext;
  /** The error of the last failed statement. */
  failure: unknown;
}

export interface AuthDatabase {
  readonly kysely: Kysely<unknown>;
  /**
   * Runs better-auth, in the running transaction if there is one; returns the result and the error of a failed
   * statement.
   */
  observe<T>(
    by: ActorContext,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly failure: unknown }>;
  /** Runs better-auth and our own statements as one transaction. */
  transact<T>(by: ActorContext, work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /**
   * For better-auth's hooks: the running transaction, or a new one only for this work, and who acts. Throws outside of
   * `observe` and `transact`.
   */
  join<T>(work: (client: pg.PoolClient, by: ActorContext) => Promise<T>): Promise<T>;
}

/** better-auth compares dates as dates, while the pool leaves PostgreSQL's text as it is. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * Creates a Kysely for better-auth over the service's pool. A change and its audit entry must be committed together, but
 * better-auth has no transaction that its caller could join. Therefore Kysely gets the connection of the transaction that
 * runs in the current asynchronous context.
 */
export function createAuthDatabase(pool: Connections, accounts = pool): AuthDatabase {
  const scopes = new AsyncLocalStorage<Scope>();
  /** Stores the error of a failed statement in the scope, because the 500 of better-auth does not give the reason. */
  const tracked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const scope = scopes.getStore();
      if (scope !== undefined) scope.failure = withoutValues(error);
      throw error;
    }
  };
  const withClient = (client: pg.PoolClient, owned: boolean): PostgresPoolClient => {
    const query = (text: string, values: readonly unknown[]): Promise<unknown> =>
      tracked(() => serialized(client, () => client.query({ text, values: [...values], types })));
    // Kysely's type also has the overload for cursors, which better-auth does not use.
    return {
      query: query as PostgresPoolClient['query'],
      release: (destroy) => {
        if (owned) client.release(destroy);
      },
    };
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = scopes.getStore()?.client;
    return client === undefined
      ? withClient(await tracked(() => pool.connect()), true)
      : withClient(client, false);
  };
  const run = async <T>(scope: Scope, work: () => Promise<T>): Promise<T> => {
    try {
      return await scopes.run(scope, work);
    } catch (error) {
      // The error of better-auth does not give the reason. The error of the statement does.
      throw isUnexplained(error) ? (scope.failure ?? error) : error;
    }
  };
  const transact: AuthDatabase['transact'] = (by, work) =>
    inTransaction(accounts, (client) => run({ client, by, failure: undefined }, () => work(client)));
  return {
    kysely: new Kysely({
      // The application ends the pool.
      dialect: new PostgresDialect({ pool: { connect, end: () => Promise.resolve(), options: {} } }),
    }),
    observe: async (by, work) => {
      const scope: Scope = { client: scopes.getStore()?.client, by, failure: undefined };
      const result = await run(scope, work);
      return { result, failure: scope.failure };
    },
    transact,
    join: async (work) => {
      const scope = scopes.getStore();
      if (scope === undefined)
        throw new Error('This change has no actor: it runs outside of observe and transact.');
      const { client, by } = scope;
      return client === undefined ? transact(by, (own) => work(own, by)) : work(client, by);
    },
  };
}

const isUnexplained = (error: unknown): boolean =>
  error instanceof APIError && error.statusCode >= FIRST_SERVER_ERROR;

const tails = new WeakMap<pg.PoolClient, Promise<unknown>>();

/**
 * Runs the work after the earlier work on the same connection: better-auth starts two statements at the same time.
 */
async function serialized<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  const run = (tails.get(client) ?? Promise.resolve()).then(work, work);
  tails.set(client, run);
  return run;
}

/** PostgreSQL puts the row that it refused into the detail: a session's token or a password's hash. */
function withoutValues(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) error.detail = undefined;
  return error;
}
