import { createPipeline, type NamedQuery } from '@svc/pipelined-postgres';
import { STATEMENTS_MAX, STATEMENTS_PER_OWNER_MAX } from '@svc/pipelined-postgres/limits';
import type { Address } from '@svc/postgres-hosts';
import { createTurns, type TurnLimits } from '@svc/turns';
import type pg from 'pg';
import { TURN_TIMEOUT_MS, TURNS_WAITING_MAX } from '../../config/limits.ts';
import { createNodePipelines, type NodePipelines } from '../citus/node-pipelines.ts';
import type { Places } from '../citus/places.ts';
import { isUnavailable } from '../errors.ts';
import type { Lane, Queryable } from '../lane.ts';
import type { BoundStatement, NodeForm } from '../statement.ts';

/** Opens a pool of one connection to a node of a cluster. It calls `check` with each new session. */
export type OpenNode = (address: Address, check: (client: Queryable) => Promise<void>) => pg.Pool;

interface PipelinedReadsOptions {
  /** Of one connection, to the database or to the coordinator of a cluster. */
  readonly pool: pg.Pool;
  readonly places: Places;
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
  { pool, places, openNode, onError }: PipelinedReadsOptions,
): PipelinedReads {
  const turns = createTurns(TURNS);
  const pipeline = createPipeline({ pool, turns, isUnavailable, onError });
  const nodes =
    openNode &&
    createNodePipelines({
      places,
      coordinator: lane.of('places of workspaces'),
      openPool: (node, check) => openNode(addressOf(node), check),
      turns: TURNS,
      onError,
    });
  const of: Lane['of'] = (owner) => {
    const share = lane.of(owner);
    return {
      connect: () => share.connect(),
      async query<Row extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
        if (!isBounded(query)) return share.query<Row>(query, values);
        const here = () => pipeline.run<Row>(owner, query, () => share.query<Row>(query));
        return onNode(nodes, owner, query, here);
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

/** Runs a statement on the node of its workspace, in its form for a node; or `here`. */
async function onNode<Row extends pg.QueryResultRow>(
  nodes: NodePipelines | undefined,
  owner: string,
  query: Bounded,
  here: () => Promise<pg.QueryResult<Row>>,
): Promise<pg.QueryResult<Row>> {
  // Statements of a workspace have it as their first value.
  const node = query.values?.[0] === owner ? nodes?.of(owner) : undefined;
  const form = query.onNode;
  if (node === undefined || form === undefined) return node?.run(owner, query, here) ?? here();
  let ranHere = false;
  const elsewhere = (): Promise<pg.QueryResult<Row>> => {
    ranHere = true;
    return here();
  };
  const { name, text } = form;
  const { values = [] } = query;
  const result = await node.run<Row>(owner, { name, text, values }, elsewhere);
  return ranHere ? result : { ...result, rows: [form.gather(result.rows, values) as Row] };
}

/** `host:port`. */
function addressOf(node: string): Address {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(node) ?? [];
  return { host, port };
}

/** Whether the statement is prepared, and its request bounds its cost. */
const isBounded = (query: string | pg.QueryConfig): query is ReturnType<BoundStatement> & Bounded =>
  typeof query !== 'string' && query.name !== undefined && 'group' in query && query.group === 'request';
