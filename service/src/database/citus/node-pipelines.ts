import { createPipeline, type Pipeline } from '@svc/pipelined-postgres';
import { createTurns, type TurnLimits, type Turns } from '@svc/turns';
import type pg from 'pg';
import { isUnavailable } from '../errors.ts';
import type { Queryable } from '../lane.ts';
import { statement } from '../statement.ts';
import { createPerNode } from './per-node.ts';
import type { Places } from './places.ts';

export interface NodePipelinesOptions {
  readonly places: Places;
  /** The coordinator, which is asked where workspaces are. */
  readonly coordinator: Queryable;
  /** Makes a pool of one connection to a node, `host:port`. It calls `check` with each new session. Undefined: none. */
  readonly openPool: (node: string, check: (client: Queryable) => Promise<void>) => pg.Pool | undefined;
  /** Limits the statements that run on one node or wait for it. */
  readonly turns: TurnLimits;
  /** Gets UnreachableNodeError once, until the node can be reached again. */
  readonly onError: (error: Error) => void;
}

/** The service cannot read from a node of the cluster directly. */
export class UnreachableNodeError extends Error {
  constructor(node: string, cause: unknown) {
    super(`cannot read from the node ${node} directly, so the coordinator reads from it`, { cause });
  }
}

/**
 * Pipelined connections to the nodes of a cluster, so that a bounded read goes to the node of its workspace and not through
 * the coordinator, which would plan it too. Each node knows where all shards are, so a statement has the right result on
 * each of them, also while a shard moves.
 */
export interface NodePipelines {
  /**
   * The pipeline of the node that has the workspace. Its statements run elsewhere while its connection is not open.
   * Undefined: the database is one PostgreSQL, or the node is not known yet or has no connection.
   */
  of(workspaceId: string): Pipeline | undefined;
  /** How many connections are open. */
  readonly open: number;
  /** How many statements wait for their turn. */
  readonly waiting: number;
  end(): Promise<void>;
}

interface Node {
  readonly pool: pg.Pool;
  readonly turns: Turns;
  readonly pipeline: Pipeline;
  end(): Promise<void>;
}

/** The most workspaces whose nodes are asked for at once. */
const WANTED_MAX = 1_000;

export function createNodePipelines(options: NodePipelinesOptions): NodePipelines {
  const { places, coordinator } = options;
  let wanted = new Set<string>();
  let finding: Promise<void> | undefined;
  let ended = false;

  const findWanted = async (): Promise<void> => {
    while (wanted.size > 0 && !ended) {
      const ids = [...wanted];
      wanted = new Set();
      try {
        await places.find(coordinator, ids);
      } catch {
        // The statements of these workspaces have the same error, or the next one asks again.
      }
    }
    finding = undefined;
  };
  const want = (workspaceId: string): void => {
    if (wanted.size < WANTED_MAX) wanted.add(workspaceId);
    finding ??= findWanted();
  };
  const open = (name: string): Node | undefined => {
    const pool = options.openPool(name, (client) => requireSameDeployment(client, coordinator));
    if (pool === undefined) return undefined;
    const turns = createTurns(options.turns);
    const pipeline = createPipeline({
      pool: { connect: reportingOnce(name, pool, options.onError) },
      turns,
      isUnavailable,
      onError: options.onError,
      waitsForOpening: false,
    });
    const end = async (): Promise<void> => {
      await pipeline.end();
      await pool.end();
    };
    return { pool, turns, pipeline, end };
  };
  const nodes = createPerNode(places, open);

  return {
    of(workspaceId) {
      const name = places.of(workspaceId);
      if (name === '' || ended) return undefined;
      if (name !== undefined) return nodes.of(name)?.pipeline;
      want(workspaceId);
      return undefined;
    },
    get open() {
      return nodes.all.reduce((sum, { pool }) => sum + pool.totalCount, 0);
    },
    get waiting() {
      return nodes.all.reduce((sum, { turns }) => sum + turns.waiting, 0);
    },
    async end() {
      ended = true;
      await finding;
      await nodes.end();
    },
  };
}

/** Reports the first failure, and the first one after a success: a node that cannot be reached is tried again and again. */
function reportingOnce(name: string, pool: pg.Pool, onError: (error: Error) => void): pg.Pool['connect'] {
  let reported = false;
  return (async () => {
    try {
      const client = await pool.connect();
      reported = false;
      return client;
    } catch (error) {
      if (!reported) onError(new UnreachableNodeError(name, error));
      reported = true;
      throw error;
    }
  }) as pg.Pool['connect'];
}

const selectDeployment = statement('deployment_of_node', 'control')`
  select md5(string_agg(fingerprint, ',' order by fingerprint)) as deployment from deployment_secrets`;

/**
 * Throws if the session is on a node of another deployment: the name of a node is that which the coordinator knows, and may
 * be another machine here. A copy of the deployment with the same secrets is not noticed.
 */
async function requireSameDeployment(client: Queryable, coordinator: Queryable): Promise<void> {
  const read = async (connections: Queryable): Promise<string | null | undefined> => {
    const { rows } = await connections.query<{ deployment: string | null }>(selectDeployment());
    return rows[0]?.deployment;
  };
  const deployment = await read(client);
  if (deployment === null || deployment !== (await read(coordinator)))
    throw new Error('the server with this name is of another deployment when it is reached from here');
}
