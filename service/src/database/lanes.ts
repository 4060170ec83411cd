import {
  CONNECTIONS_MIN,
  GROUP_STATEMENT_TIMEOUT_MS,
  LANE_CONNECTIONS_MIN,
  LOCK_TIMEOUT_MS,
  PEOPLE_LOCK_TIMEOUT_MS,
  READ_STATEMENT_TIMEOUT_MS,
  SLOW_STATEMENT_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  TURN_TIMEOUT_MS,
  TURNS_WAITING_MAX,
  WRITE_TURN_TIMEOUT_MS,
} from '../config/limits.ts';
import { type Connections, createLane, type Lane } from './lane.ts';
import { createPool, type PoolOptions } from './pool.ts';

/**
 * The database connections of a process, divided into lanes. A lane cannot use connections of another lane. Requests have
 * no other connections, so a turn, a share and a lock timeout apply to each of them. The lanes for reading refuse writes.
 */
export interface Lanes {
  /** The audit entries of requests. */
  readonly trail: Connections;
  /** `/v1`: lists, records, keys, quotas. Each statement has a bounded cost. Read only. */
  readonly reads: Lane;
  /** Everything that writes records, keys and settings, of `/v1` and of the dashboard. */
  readonly writes: Lane;
  /** The dashboard: sign-in, sessions, and reads of bounded cost. */
  readonly people: Lane;
  /** Statements of the dashboard that take longer: the log's filters, exports, plots, searches. Read only. */
  readonly slow: Lane;
  readonly end: () => Promise<void>;
}

export type LaneName = Exclude<keyof Lanes, 'end'>;

/** The lanes that requests wait for, by their names in the metrics. */
export const WAITING_LANES = ['reads', 'writes', 'people', 'slow'] as const satisfies readonly LaneName[];

export type LaneSizes = Readonly<Record<LaneName, number>>;

const LEAST: LaneSizes = LANE_CONNECTIONS_MIN;
/** The lanes that get the connections beyond the minimum, in turn. */
const SPARE: readonly LaneName[] = ['reads', 'people', 'reads', 'writes'];

/** Divides the connections of a process. */
export function laneSizes(connections: number): LaneSizes {
  const sizes: Record<LaneName, number> = { ...LEAST };
  for (let spare = 0; spare < connections - CONNECTIONS_MIN; spare++) {
    const name = SPARE[spare % SPARE.length];
    if (name !== undefined) sizes[name] += 1;
  }
  return sizes;
}

/** A share of a lane: half, but never all. */
const half = (size: number): number => Math.max(1, Math.min(size - 1, Math.ceil(size / 2)));

/** A share of a lane in which a workspace counts as two owners. */
const halfForTwo = (size: number): number => Math.max(1, Math.floor((size - 1) / 2));

const laneOf = (pool: Connections, total: number, perOwner: number, waitMs: number): Lane =>
  createLane(pool, { total, perOwner, waitMs, waitingMax: TURNS_WAITING_MAX });

/** The settings of each lane. Their statement timeouts end a statement on the server before its client gives up. */
const SESSIONS: Readonly<Record<LaneName, Partial<PoolOptions>>> = {
  trail: { statementTimeoutMs: GROUP_STATEMENT_TIMEOUT_MS, pipeline: true },
  reads: { statementTimeoutMs: READ_STATEMENT_TIMEOUT_MS, readOnly: true },
  writes: { statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS },
  people: { statementTimeoutMs: READ_STATEMENT_TIMEOUT_MS, lockTimeoutMs: PEOPLE_LOCK_TIMEOUT_MS },
  slow: { statementTimeoutMs: SLOW_STATEMENT_TIMEOUT_MS, readOnly: true },
};

/** The lanes of a process with this number of connections, at least {@link CONNECTIONS_MIN}. */
export function createLanes(
  options: Pick<PoolOptions, 'url' | 'name' | 'onError'>,
  connections: number,
): Lanes {
  const sizes = laneSizes(connections);
  const open = (lane: LaneName) => createPool({ ...options, ...SESSIONS[lane], max: sizes[lane] });
  const pools = {
    trail: open('trail'),
    reads: open('reads'),
    writes: open('writes'),
    people: open('people'),
    slow: open('slow'),
  };
  return {
    ...lanesOf(pools, sizes),
    end: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}

/** Lanes over given connections, for tests that control how their database behaves. */
export const lanesOver = (connections: Connections): Lanes => ({
  ...lanesOf(
    { trail: connections, reads: connections, writes: connections, people: connections, slow: connections },
    LEAST,
  ),
  end: () => Promise.resolve(),
});

const lanesOf = (pools: Readonly<Record<LaneName, Connections>>, sizes: LaneSizes): Omit<Lanes, 'end'> => ({
  trail: pools.trail,
  reads: laneOf(pools.reads, sizes.reads, half(sizes.reads), TURN_TIMEOUT_MS),
  // Writes of a workspace wait for its clock, so a second connection would only wait.
  writes: laneOf(pools.writes, sizes.writes, 1, WRITE_TURN_TIMEOUT_MS),
  people: laneOf(pools.people, sizes.people, halfForTwo(sizes.people), TURN_TIMEOUT_MS),
  slow: laneOf(pools.slow, sizes.slow, half(sizes.slow), SLOW_STATEMENT_TIMEOUT_MS),
});
