import {
  LOCK_TIMEOUT_MS as PIPELINE_LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS as PIPELINE_STATEMENT_TIMEOUT_MS,
} from '@svc/pipelined-postgres/limits';
import { hostOf, isThisMachine, splitHosts, urlAt } from '@svc/postgres-hosts';
import { type Connections, createLane, type Lane, type Shares, unshared } from '@svc/turns/lane';
import {
  CONNECTIONS_MIN,
  GROUP_STATEMENT_TIMEOUT_MS,
  LANE_CONNECTIONS_MIN,
  LOCK_TIMEOUT_MS,
  PEOPLE_LOCK_TIMEOUT_MS,
  READ_STATEMENT_TIMEOUT_MS,
  SHARD_CONNECTIONS,
  SHARD_CONNECTIONS_OF_NODE,
  SLOW_STATEMENT_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
  TURN_TIMEOUT_MS,
  TURNS_WAITING_MAX,
  WRITE_TURN_TIMEOUT_MS,
} from '../config/limits.ts';
import { detectDistribution, type IsDistributed } from './citus/detect.ts';
import type { OpenNode } from './citus/node-sessions.ts';
import { createNodeWrites, type NodeWrites } from './citus/node-writes.ts';
import { createWorkspaceNodes, type WorkspaceNodes } from './citus/workspace-nodes.ts';
import { createPipelinedReads } from './pipelined/reads.ts';
import { createPool, type PoolOptions } from './pool.ts';

/**
 * The database connections of a process, divided into lanes. A lane cannot use connections of another lane. Requests have no
 * others, except `/readyz`: a turn, a share and a lock timeout apply to each of them. The lanes for reading refuse writes.
 */
export interface Lanes {
  /** The audit entries of requests. */
  readonly trail: Connections;
  /** The same in a cluster of Citus, by node. A process opens these connections only there. */
  readonly shards: Pick<NodeWrites, 'of'>;
  /**
   * `/v1`: lists, records, keys, quotas. Each statement has a bounded cost. Read only. Prepared statements that their page
   * bounds share one pipelined connection (packages/pipelined-postgres).
   */
  readonly reads: Lane;
  /** Everything that writes records, keys and settings, of `/v1` and of the dashboard. */
  readonly writes: Lane;
  /** The dashboard: sign-in, sessions, and reads of bounded cost. */
  readonly people: Lane;
  /** Statements of the dashboard that take longer: the log's filters, exports, plots, searches. Read only. */
  readonly slow: Lane;
  /** Asks whether the database responds. No request can hold this connection. */
  readonly health: Connections;
  /** Whether the tables are distributed over a cluster. */
  readonly isDistributed: IsDistributed;
  /** Which node of the cluster has a workspace. */
  readonly workspaceNodes: WorkspaceNodes;
  /** The connections of each lane now. */
  readonly states: () => readonly LaneState[];
  readonly end: () => Promise<void>;
}

interface LaneState {
  readonly lane: string;
  readonly open: number;
  readonly idle: number;
  /** Statements and transactions that wait for a connection. Undefined: nothing waits in this lane. */
  readonly waiting: number | undefined;
}

type LaneName = 'trail' | (typeof WAITING_LANES)[number];

/** The lanes that requests wait for, by their names in the metrics. */
const WAITING_LANES = ['reads', 'writes', 'people', 'slow'] as const;

/** The connections of each lane, and whether there is a pipelined one. */
export type LaneSizes = Readonly<Record<LaneName | 'pipeline', number>>;

const LEAST: LaneSizes = { ...LANE_CONNECTIONS_MIN, pipeline: 0 };
/** The lanes that get the connections beyond the minimum and the pipelined one, in turn. */
const SPARE: readonly LaneName[] = ['slow', 'reads', 'people', 'reads', 'writes'];

/** Divides the connections of a process. The first one beyond the minimum is pipelined. */
export function laneSizes(connections: number): LaneSizes {
  const sizes = { ...LEAST, pipeline: connections > CONNECTIONS_MIN ? 1 : 0 };
  for (let spare = 0; spare < connections - CONNECTIONS_MIN - 1; spare++) {
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
const SESSIONS: Readonly<Record<keyof LaneSizes, Partial<PoolOptions>>> = {
  trail: { statementTimeoutMs: GROUP_STATEMENT_TIMEOUT_MS, pipeline: true },
  pipeline: {
    statementTimeoutMs: PIPELINE_STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: PIPELINE_LOCK_TIMEOUT_MS,
    readOnly: true,
    pipeline: true,
  },
  reads: { statementTimeoutMs: READ_STATEMENT_TIMEOUT_MS, readOnly: true },
  writes: { statementTimeoutMs: STATEMENT_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS },
  people: { statementTimeoutMs: READ_STATEMENT_TIMEOUT_MS, lockTimeoutMs: PEOPLE_LOCK_TIMEOUT_MS },
  slow: { statementTimeoutMs: SLOW_STATEMENT_TIMEOUT_MS, readOnly: true },
};

type LaneOptions = Pick<PoolOptions, 'url' | 'name' | 'onError' | 'pooled'>;

/** The lanes of a process with this number of connections, at least {@link CONNECTIONS_MIN}. */
export function createLanes(options: LaneOptions, connections: number): Lanes {
  const sizes = laneSizes(connections);
  const open = (lane: keyof LaneSizes) => createPool({ ...options, ...SESSIONS[lane], max: sizes[lane] });
  const pools = {
    trail: open('trail'),
    pipeline: open('pipeline'),
    reads: open('reads'),
    writes: open('writes'),
    people: open('people'),
    slow: open('slow'),
  };
  const health = createPool({ ...options, ...SESSIONS.reads, max: 1 });
  const lanes = lanesOf(pools, sizes);
  const cluster = detectCluster();
  const shards = openShards(options, cluster.workspaceNodes);
  const pipelined = createPipelinedReads(lanes.reads, {
    pool: pools.pipeline,
    workspaceNodes: cluster.workspaceNodes,
    openNode: openNode(options, 'pipeline'),
    onError: options.onError,
  });
  const reads = sizes.pipeline === 0 ? lanes.reads : pipelined.lane;
  return {
    ...lanes,
    ...cluster,
    health,
    shards: shards.writes,
    reads,
    states: () => [
      ...Object.entries(pools).map(([lane, { totalCount, idleCount }]) => {
        const waits = WAITING_LANES.find((name) => name === lane);
        const waiting = waits && (waits === 'reads' ? reads : lanes[waits]).waiting;
        return { lane, open: totalCount, idle: idleCount, waiting };
      }),
      { lane: 'nodes', open: pipelined.nodes + shards.writes.open, idle: 0, waiting: undefined },
    ],
    end: async () => {
      await pipelined.end();
      await Promise.all([...[...Object.values(pools), health].map((pool) => pool.end()), shards.end()]);
    },
  };
}

/** The connections that write audit entries. Held logs have one of the lane `writes`. */
export interface AuditConnections {
  readonly trail: Connections;
  readonly shards: Lanes['shards'];
  readonly writes: Shares;
  readonly workspaceNodes: WorkspaceNodes;
}

function detectCluster(): Pick<Lanes, 'isDistributed' | 'workspaceNodes'> {
  const isDistributed = detectDistribution();
  return { isDistributed, workspaceNodes: createWorkspaceNodes(isDistributed) };
}

function openShards(options: LaneOptions, workspaceNodes: WorkspaceNodes) {
  const pool = createPool({ ...options, ...SESSIONS.trail, max: SHARD_CONNECTIONS });
  const writes = createNodeWrites({
    workspaceNodes,
    coordinator: laneOf(pool, SHARD_CONNECTIONS, SHARD_CONNECTIONS_OF_NODE, TURN_TIMEOUT_MS),
    openNode: openNode(options, 'trail'),
    onError: options.onError,
  });
  return { writes, end: () => writes.end().then(() => pool.end()) };
}

/** The {@link TRAIL_CONNECTIONS} of a process that only writes audit entries. */
export function createAuditConnections(options: LaneOptions): AuditConnections & Pick<Lanes, 'end'> {
  const open = (lane: 'trail' | 'writes') => createPool({ ...options, ...SESSIONS[lane], max: 1 });
  const { workspaceNodes } = detectCluster();
  const [trail, writes, shards] = [open('trail'), open('writes'), openShards(options, workspaceNodes)];
  const end = async (): Promise<void> => void (await Promise.all([trail.end(), writes.end(), shards.end()]));
  return { trail, shards: shards.writes, writes: unshared(writes), workspaceNodes, end };
}

/**
 * Opens pools of one connection to the nodes of a cluster, with the settings of a lane. A name for the machine itself, such
 * as `localhost`, is that of the coordinator: here it is another machine, which must not get the password. Undefined: with a
 * pooler, nothing is known about sessions on the nodes.
 */
function openNode(options: LaneOptions, lane: 'pipeline' | 'trail'): OpenNode | undefined {
  if (options.pooled === true) return undefined;
  const [url = options.url] = splitHosts(options.url);
  return (node, check) => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(node) ?? [];
    if (isThisMachine(host) && !isThisMachine(hostOf(url).host)) return undefined;
    return createPool({
      ...options,
      ...SESSIONS[lane],
      ...(lane === 'pipeline' ? { options: PLAN_FOR_VALUES } : {}),
      url: urlAt(url, { host, port }),
      max: 1,
      keepsIdle: true,
      check,
    });
  };
}

/**
 * Citus 13.2.1 and 13.2.2 store plans of their own node without an end (docs/scale.md), so sessions that read make none. The
 * function that writes entries says so itself.
 */
const PLAN_FOR_VALUES = '-c plan_cache_mode=force_custom_plan';

/** Lanes over given connections, for tests that control how their database behaves. */
export const lanesOver = (connections: Connections): Lanes => ({
  ...lanesOf(
    { trail: connections, reads: connections, writes: connections, people: connections, slow: connections },
    LEAST,
  ),
  health: connections,
  shards: unshared(connections),
  ...detectCluster(),
  states: () => [],
  end: () => Promise.resolve(),
});

const lanesOf = (
  pools: Readonly<Record<LaneName, Connections>>,
  sizes: LaneSizes,
): Pick<Lanes, LaneName> => ({
  trail: pools.trail,
  reads: laneOf(pools.reads, sizes.reads, half(sizes.reads), TURN_TIMEOUT_MS),
  // Writes of a workspace wait for its clock, so a second connection would only wait.
  writes: laneOf(pools.writes, sizes.writes, 1, WRITE_TURN_TIMEOUT_MS),
  people: laneOf(pools.people, sizes.people, halfForTwo(sizes.people), TURN_TIMEOUT_MS),
  slow: laneOf(pools.slow, sizes.slow, half(sizes.slow), SLOW_STATEMENT_TIMEOUT_MS),
});
