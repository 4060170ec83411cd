import { createPipeline, type Pipeline } from '@svc/pipelined-postgres';
import { createTurns, type TurnLimits, type Turns } from '@svc/turns';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { isUnavailable } from '../errors.ts';
import { type OpenNode, reportingOnce, requireSameDeployment } from './node-sessions.ts';
import { createPerNode } from './per-node.ts';
import type { WorkspaceNodes } from './workspace-nodes.ts';

export interface NodePipelinesOptions {
  readonly workspaceNodes: WorkspaceNodes;
  /** The coordinator, which is asked where workspaces are. */
  readonly coordinator: Queryable;
  readonly openNode: OpenNode;
  /** Limits the statements that run on one node or wait for it. */
  readonly turns: TurnLimits;
  /** Gets UnreachableNodeError once, until the node can be reached again. */
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
  const { workspaceNodes, coordinator } = options;
  let wanted = new Set<string>();
  let finding: Promise<void> | undefined;
  let ended = false;

  const findWanted = async (): Promise<void> => {
    while (wanted.size > 0 && !ended) {
      const ids = [...wanted];
      wanted = new Set();
      try {
        await workspaceNodes.find(coordinator, ids);
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
    const pool = options.openNode(name, (client) => requireSameDeployment(client, coordinator));
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
  const nodes = createPerNode(workspaceNodes, open);

  return {
    of(workspaceId) {
      const name = workspaceNodes.of(workspaceId);
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
