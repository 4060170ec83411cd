import type pg from 'pg';
import { createTurns, type TurnLimits } from './turns.ts';

/** What runs a statement: a pool, one of its connections, or a share of a lane. */
export interface Queryable {
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

/** Connections: a pool, or a share of a lane. */
export interface Connections extends Queryable {
  connect(): Promise<pg.PoolClient>;
}

/** Connections by the owner of the work: a workspace or a person. */
export interface Shares {
  of(owner: string): Connections;
}

/** Connections for one kind of work. Its owners take turns, so that none of them can keep all of them. */
export interface Lane extends Shares {
  /** The same for those who are not signed in: all of them together have about half of the connections, never all. */
  readonly signedOut: Shares;
  /** Statements and transactions that wait for their turn. */
  readonly waiting: number;
}

/** Everybody's connections, without turns: for commands, which have a pool to themselves. */
export const unshared = (connections: Connections): Shares => ({ of: () => connections });

/** `pool` has at least `limits.total` connections: a turn then never waits for one. */
export function createLane(pool: Connections, limits: TurnLimits): Lane {
  const { total, waitingMax } = limits;
  const all = inTurns(unshared(pool), limits);
  const signedOut = inTurns(all, {
    ...limits,
    total: Math.max(1, Math.min(total - 1, Math.ceil(total / 2))),
    waitingMax: Math.floor(waitingMax / 2),
  });
  return {
    of: all.of,
    signedOut,
    get waiting() {
      return all.waiting + signedOut.waiting;
    },
  };
}

function inTurns(shares: Shares, limits: TurnLimits): Shares & { readonly waiting: number } {
  const turns = createTurns(limits);
  return {
    of: (owner) => ({
      async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
        const turn = turns.take(owner);
        if (turn !== undefined) await turn;
        try {
          return await shares.of(owner).query<Row>(query, values);
        } finally {
          turns.leave(owner);
        }
      },
      async connect() {
        const turn = turns.take(owner);
        if (turn !== undefined) await turn;
        try {
          const client = await shares.of(owner).connect();
          // The pool sets a new one each time it lends the connection.
          const release = client.release.bind(client);
          client.release = (broken) => {
            release(broken);
            turns.leave(owner);
          };
          return client;
        } catch (error) {
          turns.leave(owner);
          throw error;
        }
      },
    }),
    get waiting() {
      return turns.waiting;
    },
  };
}
