import { createAvoided, createPauses } from '@svc/pipelined-postgres/memory';
import type { Queryable, Shares } from '@svc/turns/lane';
import type pg from 'pg';
import { errorCode } from '../../config/errors.ts';
import { failedFor, isRefused, mayBeCommitted, UnknownOutcomeError } from '../errors.ts';
import {
  type OpenNode,
  reportingOnce,
  requireSameDeployment,
  UnreachableNodeError,
} from './node-sessions.ts';
import { createPerNode } from './per-node.ts';
import type { WorkspaceNodes } from './workspace-nodes.ts';

interface NodeWritesOptions {
  readonly workspaceNodes: WorkspaceNodes;
  /** The connections to the coordinator, a share for each node. */
  readonly coordinator: Shares;
  /** Undefined: all statements go to the coordinator. */
  readonly openNode: OpenNode | undefined;
  /** Gets UnreachableNodeError: once if the node cannot be reached, and each minute if it refuses. */
  readonly onError: (error: Error) => void;
}

/** Runs statements that write on the nodes of a cluster. */
export interface NodeWrites {
  /** Each statement is one transaction of workspaces that the node has. Throws UnknownOutcomeError. */
  of(node: string): Queryable;
  /** How many connections to nodes are open. */
  readonly open: number;
  end(): Promise<void>;
}

interface Node extends Queryable {
  /** Whether the connection is open and free. If it is not open, it is opened in the background. */
  isReady(): boolean;
  readonly open: number;
  end(): Promise<void>;
}

/**
 * A connection to each node, so that entries do not pass through the coordinator. The coordinator runs a statement if the
 * connection is not open, and if only the node refuses it, because it lacks what the coordinator has. A statement that may
 * have been committed is never repeated.
 */
export function createNodeWrites({
  workspaceNodes,
  coordinator,
  openNode,
  onError,
}: NodeWritesOptions): NodeWrites {
  /** The nodes that have refused what the coordinator has not. */
  const avoided = createAvoided();
  const nodes = createPerNode(workspaceNodes, (name) => {
    const pool = openNode?.(name, (client) => requireSameDeployment(client, coordinator.of(name)));
    return pool && connectionTo(pool, reportingOnce(name, pool, onError));
  });
  return {
    of: (name) => ({
      async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
        const throughCoordinator = () => coordinator.of(name).query<Row>(query, values).catch(fail);
        const node = avoided.has(name) ? undefined : nodes.of(name);
        if (!node?.isReady()) return throughCoordinator();
        try {
          return await node.query<Row>(query, values);
        } catch (error) {
          if (!LACKING.test(errorCode(error) ?? '')) return fail(error);
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

/** SQLSTATEs of a node that lacks what the coordinator has, such as a function or a right. It has written nothing. */
const LACKING = /^(42|0A|25006|3F)/;

// A timeout of the coordinator, or of a former node, includes the commit of the node, which may wait for a standby.
function fail(error: unknown): never {
  throw mayBeCommitted(error) || failedFor(error, 'query_canceled') ? new UnknownOutcomeError(error) : error;
}

function connectionTo(pool: pg.Pool, connect: pg.Pool['connect']): Node {
  const pauses = createPauses();
  let opening: Promise<void> | undefined;
  let busy = false;
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
      return !busy && pool.idleCount > 0;
    },
    async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
      busy = true;
      let broken = false;
      try {
        const client = await pool.connect();
        try {
          return await client.query<Row>(query, values);
        } catch (error) {
          broken = !isRefused(error);
          throw error;
        } finally {
          client.release(broken);
        }
      } finally {
        busy = false;
      }
    },
    get open() {
      return pool.totalCount;
    },
    async end() {
      await opening;
      await pool.end();
    },
  };
}
