import { createPipeline, type NamedQuery, type Pipeline } from '@svc/pipelined-postgres';
import { STATEMENTS_MAX, STATEMENTS_PER_OWNER_MAX } from '@svc/pipelined-postgres/limits';
import { BusyError, createTurns, type TurnLimits } from '@svc/turns';
import type { Lane } from '@svc/turns/lane';
import type pg from 'pg';
import { TURN_TIMEOUT_MS, TURNS_WAITING_MAX } from '../../config/limits.ts';
import { createNodePipelines } from '../citus/node-pipelines.ts';
import type { OpenNode } from '../citus/node-sessions.ts';
import type { WorkspaceNodes } from '../citus/workspace-nodes.ts';
import { isUnavailable } from '../errors.ts';
import type { BoundStatement, NodeForm } from '../statement.ts';

interface PipelinedReadsOptions {
  /** Of one connection, to the database or to the coordinator of a cluster. */
  readonly pool: pg.Pool;
  readonly workspaceNodes: WorkspaceNodes;
  /** Undefined: all statements go to the coordinator. */
  readonly openNode: OpenNode | undefined;
  readonly onError: (error: Error) => void;
}

export interface PipelinedReads {
  readonly lane: Lane;
  /** How many connections to nodes are open. */
  readonly nodes: number;
  readonly end: () => Promise<void>;
}

const TURNS: TurnLimits = {
  total: STATEMENTS_MAX,
  perOwner: STATEMENTS_PER_OWNER_MAX,
  waitMs: TURN_TIMEOUT_MS,
  waitingMax: TURNS_WAITING_MAX,
};

/**
 * A lane whose bounded statements share a pipelined connection; in a cluster, one to the node of their workspace. What
 * cannot run on a pipelined connection runs in `lane`.
 */
export function createPipelinedReads(
  lane: Lane,
  { pool, workspaceNodes, openNode, onError }: PipelinedReadsOptions,
): PipelinedReads {
  const turns = createTurns(TURNS);
  const pipeline = createPipeline({ pool, turns, isUnavailable, onError });
  const nodes =
    openNode &&
    createNodePipelines({
      workspaceNodes,
      coordinator: lane.of('nodes of workspaces'),
      openNode,
      turns: TURNS,
      onError,
    });
  const of: Lane['of'] = (owner) => {
    const share = lane.of(owner);
    return {
      connect: () => share.connect(),
      async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
        if (!isBounded(query)) return share.query<Row>(query, values);
        const inLane = () => share.query<Row>(query);
        const shared = () => pipeline.run<Row>(owner, query, inLane);
        // Statements of a workspace have it as their first value.
        const node = query.values?.[0] === owner ? nodes?.of(owner) : undefined;
        return node === undefined ? shared() : onNode<Row>(node, owner, query, shared, inLane);
      },
    };
  };
  return {
    lane: {
      ...lane,
      of,
      get waiting() {
        return lane.waiting + turns.waiting + (nodes?.waiting ?? 0);
      },
    },
    get nodes() {
      return nodes?.open ?? 0;
    },
    end: async () => void (await Promise.all([pipeline.end(), nodes?.end()])),
  };
}

type Bounded = NamedQuery & { readonly onNode?: NodeForm };

type Run<Row extends pg.QueryResultRow> = () => Promise<pg.QueryResult<Row>>;

/**
 * Runs a statement on a node, in its form for a node if it has one. If the node cannot run it: with `shared`, on the
 * pipelined connection to the coordinator, or with `inLane`.
 */
async function onNode<Row extends pg.QueryResultRow>(
  node: Pipeline,
  owner: string,
  query: Bounded,
  shared: Run<Row>,
  inLane: Run<Row>,
): Promise<pg.QueryResult<Row>> {
  const { onNode: form, values = [] } = query;
  let ranElsewhere = false;
  const elsewhere = (avoided: boolean): Promise<pg.QueryResult<Row>> => {
    ranElsewhere = true;
    return avoided ? inLane() : shared();
  };
  const statement = form === undefined ? query : { name: form.name, text: form.text, values };
  try {
    const result = await node.run<Row>(owner, statement, elsewhere);
    if (ranElsewhere || form === undefined) return result;
    return { ...result, rows: [form.gather(result.rows, values) as Row] };
  } catch (error) {
    if (ranElsewhere || error instanceof BusyError) throw error;
    // The node may lack what the coordinator has, such as the metadata of Citus.
    return shared();
  }
}

/** Whether the statement is prepared, and its request bounds its cost. */
const isBounded = (query: string | pg.QueryConfig): query is ReturnType<BoundStatement> & Bounded =>
  typeof query !== 'string' && query.name !== undefined && 'group' in query && query.group === 'request';
