import { createPipeline, type Pipeline } from '@svc/pipelined-postgres';
import { createTurns, type TurnLimits, type Turns } from '@svc/turns';
import type pg from 'pg';
import { NODE_PIPELINES_MAX } from '../../config/limits.ts';
import { isUnavailable } from '../errors.ts';
import type { Queryable } from '../lane.ts';
import { statement } from '../statement.ts';
import type { Places } from './places.ts';

export interface NodePipelinesOptions {
  readonly places: Places;
  /** The coordinator, which is asked where workspaces are. */
  readonly coordinator: Queryable;
  /** Makes a pool of one connection to a node, `host:port`. It calls `check` with each new session. */
  readonly openPool: (node: string, check: (client: Queryable) => Promise<void>) => pg.Pool;
  /** Of the statements that wait for one node. */
  readonly turns: TurnLimits;
  readonly onError: (error: Error) => void;
}

/**
 * Pipelined connections to the nodes of a cluster, so that a bounded read goes to the node of its workspace and not through
 * the coordinator, which would plan it too. Each node knows where all shards are, so a statement has the right result on
 * each of them, also while a shard moves.
 */
export interface NodePipelines {
  /**
   * The pipeline of the node that has the workspace. Its statements run elsewhere while its connection is not open.
   * Undefined: the database is one PostgreSQL, or the node is not known yet.
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
}

/** The most workspaces whose nodes are asked for at once. */
const WANTED_MAX = 1_000;

export function createNodePipelines(options: NodePipelinesOptions): NodePipelines {
  const { places, coordinator } = options;
  const nodes = new Map<string, Node>();
  let wanted = new Set<string>();
  let finding: Promise<void> | undefined;

  const findWanted = async (): Promise<void> => {
    while (wanted.size > 0) {
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
  const add = (name: string): Node => {
    const pool = options.openPool(name, (client) => requireSameDeployment(name, client, coordinator));
    const turns = createTurns(options.turns);
    const pipeline = createPipeline({
      pool: { connect: reportingOnce(name, pool, options.onError) },
      turns,
      isUnavailable,
      onError: options.onError,
      waitsForOpening: false,
    });
    const node = { pool, turns, pipeline };
    nodes.set(name, node);
    return node;
  };

  return {
    of(workspaceId) {
      const name = places.of(workspaceId);
      if (name === undefined) want(workspaceId);
      if (name === undefined || name === '') return undefined;
      const node = nodes.get(name) ?? (nodes.size < NODE_PIPELINES_MAX ? add(name) : undefined);
      return node?.pipeline;
    },
    get open() {
      return [...nodes.values()].reduce((sum, { pool }) => sum + pool.totalCount, 0);
    },
    get waiting() {
      return [...nodes.values()].reduce((sum, { turns }) => sum + turns.waiting, 0);
    },
    async end() {
      await finding;
      await Promise.all([...nodes.values()].map(({ pipeline }) => pipeline.end()));
      await Promise.all([...nodes.values()].map(({ pool }) => pool.end()));
    },
  };
}

/** Reports the first failure, and the first one after a success: a node that cannot be reached is tried again and again. */
function reportingOnce(name: string, pool: pg.Pool, onError: (error: Error) => void): pg.Pool['connect'] {
  let reported = false;
  const connect = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      reported = false;
      return client;
    } catch (error) {
      if (!reported)
        onError(
          new Error(`the node ${name} cannot be reached; the coordinator reads for it`, { cause: error }),
        );
      reported = true;
      throw error;
    }
  };
  return connect as pg.Pool['connect'];
}

const selectDeployment = statement('deployment_of_node', 'control')`
  select md5(string_agg(fingerprint, ',' order by fingerprint)) as deployment from deployment_secrets`;

/**
 * Throws if the session is on a node of another deployment: the name of a node is that which the coordinator knows, and may
 * be another machine here, such as `localhost`.
 */
async function requireSameDeployment(name: string, client: Queryable, coordinator: Queryable): Promise<void> {
  const read = async (connections: Queryable): Promise<string | null | undefined> => {
    const { rows } = await connections.query<{ deployment: string | null }>(selectDeployment());
    return rows[0]?.deployment;
  };
  if ((await read(client)) !== (await read(coordinator)))
    throw new Error(`${name} is not a node of this cluster when it is reached from here`);
}
