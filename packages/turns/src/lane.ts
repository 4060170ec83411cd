import type pg from 'pg';
import { createTurns, type TurnLimits, type Turns } from './index.ts';

/** Runs statements: a pool, one of its connections, or a share of a lane. */
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

/** Connections for each owner of work. */
export interface Shares<Owner = string> {
  of(owner: Owner): Connections;
}

/** The sender of a request with a session: the person of a valid session, otherwise the session and its network. */
interface Visitor {
  readonly network: string;
  readonly session: string;
  /** Undefined if the session is not known yet or has ended. */
  readonly personId: string | undefined;
}

/** Connections for one kind of work. The owners take turns, so that no owner can keep all connections. */
export interface Lane extends Shares {
  /** For requests without a session, by network. Together, they use about half of the connections, never all. */
  readonly signedOut: Shares;
  /**
   * For signed-in people, outside of their workspaces. All sessions of a person are one owner. A network uses about half
   * of the connections. Together, all networks never use all connections.
   */
  readonly signedIn: Shares<Visitor>;
  /** For look-ups of sessions and roles, which no other work delays. All unknown sessions of a network are one owner. */
  readonly lookUps: Shares<Visitor>;
  /** How many statements and transactions wait for their turn. */
  readonly waiting: number;
}

/** Connections without turns, for commands: each has its own pool. */
export const unshared = (connections: Connections): Shares => ({ of: () => connections });

/** A turn that work needs. */
type Step = readonly [turns: Turns, owner: string];

/** `pool` must have at least `limits.total` connections, so that an owner with a turn never waits for a connection. */
export function createLane(pool: Connections, limits: TurnLimits): Lane {
  const { total, waitingMax, waitMs } = limits;
  const allButOne = Math.max(1, total - 1);
  const half = Math.min(allButOne, Math.ceil(total / 2));
  const all: Turns[] = [];
  const turnsOf = (change: Partial<TurnLimits> = {}): Turns => {
    const turns = createTurns({ ...limits, ...change });
    all.push(turns);
    return turns;
  };
  const share = (...steps: readonly Step[]): Connections => inTurns(pool, steps, waitMs);

  const lane = turnsOf();
  /** Sign-ins and account changes wait for locks. Together they leave one connection for look-ups and workspaces. */
  const waitsForLocks = turnsOf({ total: allButOne });
  const signedOut = turnsOf({ total: half, waitingMax: Math.floor(waitingMax / 2) });
  /** The steps of a signed-in owner: its turns, then those of its network. So neither can fill the queue of the lane. */
  const byNetwork = (): ((owner: string, network: string) => readonly Step[]) => {
    const owners = turnsOf({ total: Number.POSITIVE_INFINITY });
    const networks = turnsOf({ total: allButOne, perOwner: half });
    return (owner, network) => [
      [owners, owner],
      [networks, network],
    ];
  };
  const signedInSteps = byNetwork();
  const lookUpSteps = byNetwork();
  const sessions = turnsOf({ total: Number.POSITIVE_INFINITY, perOwner: 1 });
  return {
    of: (owner) => share([lane, owner]),
    signedOut: { of: (network) => share([signedOut, network], [waitsForLocks, network], [lane, network]) },
    signedIn: {
      of: (visitor) => {
        const owner = ownerOf(visitor);
        return share(...signedInSteps(owner, visitor.network), [waitsForLocks, owner], [lane, owner]);
      },
    },
    lookUps: {
      of: (visitor) => {
        const owner = ownerOf(visitor);
        const steps = lookUpSteps(owner, visitor.network);
        const first: readonly Step[] = visitor.personId === undefined ? [[sessions, visitor.session]] : [];
        // The look-up has an owner of its own, so that it does not wait for the person's other work.
        return share(...first, ...steps, [lane, `look-up of ${owner}`]);
      },
    },
    get waiting() {
      return all.reduce((sum, turns) => sum + turns.waiting, 0);
    },
  };
}

const ownerOf = ({ personId, network }: Visitor): string =>
  personId === undefined ? `unknown sessions of ${network}` : `person ${personId}`;

/** Connections that work gets after it took all of the turns, one after another, within `waitMs`. It returns all at once. */
function inTurns(pool: Connections, steps: readonly Step[], waitMs: number): Connections {
  const enter = async (): Promise<() => void> => {
    const deadline = performance.now() + waitMs;
    const taken: Step[] = [];
    const leave = (): void => {
      for (const [turns, owner] of taken) turns.leave(owner);
    };
    try {
      for (const [turns, owner] of steps) {
        const turn = turns.take(owner, Math.max(0, deadline - performance.now()));
        if (turn !== undefined) await turn;
        taken.push([turns, owner]);
      }
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  };
  return {
    async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
      const leave = await enter();
      try {
        return await pool.query<Row>(query, values);
      } finally {
        leave();
      }
    },
    async connect() {
      const leave = await enter();
      try {
        const client = await pool.connect();
        // The pool sets a new `release` for each use of the connection.
        const release = client.release.bind(client);
        client.release = (broken) => {
          release(broken);
          leave();
        };
        return client;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
