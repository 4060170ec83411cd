import { createAvoided, createPauses } from '@svc/pipelined-postgres/memory';
import type pg from 'pg';
import { failedFor, isConnectionFailure, isRefused } from '../errors.ts';
import type { Queryable, Shares } from '../lane.ts';
import {
  type OpenNode,
  reportingOnce,
  requireSameDeployment,
  UnreachableNodeError,
} from './node-sessions.ts';
import { createPerNode } from './per-node.ts';
import type { Places } from './places.ts';

interface NodeWritesOptions {
  readonly places: Places;
  /** The connections to the coordinator, a share for each node. */
  readonly coordinator: Shares;
  /** Undefined: all statements go to the coordinator. */
  readonly openNode: OpenNode | undefined;
  /** Gets UnreachableNodeError once, until the node can be used again. */
  readonly onError: (error: Error) => void;
}

/** Runs statements that write on the nodes of a cluster. */
export interface NodeWrites {
  /** Each statement is one transaction of workspaces that the node has. At most one runs at the same time. */
  of(node: string): Queryable;
  /** How many connections to nodes are open. */
  readonly open: number;
  end(): Promise<void>;
}

interface Node extends Queryable {
  /** Whether a connection is open and free. If none is open, one is opened in the background. */
  isReady(): boolean;
  readonly open: number;
  end(): Promise<void>;
}

/**
 * A connection to each node, so that entries do not pass through the coordinator. The coordinator runs a statement if the
 * connection is not open, and if only the node refuses it. It never repeats a statement that may have been committed.
 */
export function createNodeWrites({ places, coordinator, openNode, onError }: NodeWritesOptions): NodeWrites {
  /** The nodes that have refused what the coordinator has not. */
  const avoided = createAvoided();
  const nodes = createPerNode(places, (name) => {
    const pool = openNode?.(name, (client) => requireSameDeployment(client, coordinator.of(name)));
    return pool && connectionTo(pool, reportingOnce(name, pool, onError));
  });
  return {
    of: (name) => ({
      async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
        const throughCoordinator = () => coordinator.of(name).query<Row>(query, values);
        const node = avoided.has(name) ? undefined : nodes.of(name);
        if (!node?.isReady()) return throughCoordinator();
        try {
          return await node.query<Row>(query, values);
        } catch (error) {
          if (!isRefusedByNode(error)) throw error;
          const result = await throughCoordinator();
          avoided.add(name);
          onError(new UnreachableNodeError(name, error));
          return result;
        }
      },
    }),
    get open() {
      return nodes.all.reduce((sum, { open }) => sum + open, 0);
    },
    end: () => nodes.end(),
  };
}

/** Whether nothing is written, for another reason than a held lock: the node may lack what the coordinator has. */
const isRefusedByNode = (error: unknown): boolean =>
  isRefused(error) && !isConnectionFailure(error) && !failedFor(error, 'lock_not_available');

function connectionTo(pool: pg.Pool, connect: pg.Pool['connect']): Node {
  const pauses = createPauses();
  let opening: Promise<void> | undefined;
  const open = async (): Promise<void> => {
    try {
      (await connect()).release();
    } catch {
      pauses.failed();
    }
    opening = undefined;
  };
  return {
    isReady() {
      if (pool.totalCount === 0 && pauses.isOver()) opening ??= open();
      return pool.idleCount > 0;
    },
    query: (query, values) => pool.query(query, values),
    get open() {
      return pool.totalCount;
    },
    async end() {
      await opening;
      await pool.end();
    },
  };
}
