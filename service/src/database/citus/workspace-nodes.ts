import type { Queryable } from '@svc/turns/lane';
import { preparedStatement } from '../statement.ts';
import type { IsDistributed } from './detect.ts';

/** Which node of a cluster has a workspace. */
export interface WorkspaceNodes {
  /** The node of a workspace, as `host:port`. Empty: the database is one PostgreSQL. Undefined: it must be found first. */
  of(workspaceId: string): string | undefined;
  /** Finds the nodes of workspaces. It may forget others. */
  find(connections: Queryable, workspaceIds: readonly string[]): Promise<void>;
  /** Forgets nodes that were wrong, such as after a shard was divided. The next search reads the nodes again. */
  forget(workspaceIds: readonly string[]): void;
  /** All nodes, as they were read last. */
  readonly nodes: ReadonlySet<string>;
}

/** The most workspaces whose shards are stored. */
const STORED_MAX = 200_000;
/** A shard that was moved is on another node. A search reads the nodes again after half of this time. */
const NODES_STORED_MS = 60_000;

const selectShards = preparedStatement('shards_of_workspaces', 'control')`
  select id, get_shard_id_for_distribution_column('live_meters', id)::text as shard from unnest($1::text[]) as w (id)`;
const selectNodes = preparedStatement('nodes_of_shards', 'control')`
  select s.shardid::text as shard, concat(n.nodename, ':', n.nodeport) as node
  from pg_dist_shard s join pg_dist_placement p using (shardid)
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
  where s.logicalrelid = 'live_meters'::regclass`;

export function createWorkspaceNodes(isDistributed: IsDistributed): WorkspaceNodes {
  /** A workspace stays in its shard, unless the shard is divided. */
  const shards = new Map<string, string>();
  let nodes: ReadonlyMap<string, string> = new Map();
  let names: ReadonlySet<string> = new Set();
  let nodesReadMs = Number.NEGATIVE_INFINITY;
  let single = false;
  const ageMs = (): number => performance.now() - nodesReadMs;
  const stored = (workspaceId: string): string | undefined => nodes.get(shards.get(workspaceId) ?? '');

  const readNodes = async (connections: Queryable): Promise<void> => {
    const { rows } = await connections.query<{ shard: string; node: string }>(selectNodes());
    nodes = new Map(rows.map(({ shard, node }) => [shard, node]));
    names = new Set(nodes.values());
    nodesReadMs = performance.now();
  };
  return {
    of(workspaceId) {
      if (single) return '';
      return ageMs() > NODES_STORED_MS ? undefined : stored(workspaceId);
    },
    async find(connections, workspaceIds) {
      if (!(await isDistributed(connections))) {
        single = true;
        return;
      }
      if (shards.size + workspaceIds.length > STORED_MAX) shards.clear();
      if (ageMs() >= NODES_STORED_MS / 2) await readNodes(connections);
      const lost = workspaceIds.filter((id) => stored(id) === undefined);
      if (lost.length === 0) return;
      const { rows } = await connections.query<{ id: string; shard: string }>(selectShards(lost));
      for (const { id, shard } of rows) shards.set(id, shard);
      if (lost.some((id) => stored(id) === undefined)) await readNodes(connections);
    },
    forget(workspaceIds) {
      for (const id of workspaceIds) shards.delete(id);
      nodesReadMs = Math.min(nodesReadMs, performance.now() - NODES_STORED_MS / 2);
    },
    get nodes() {
      return names;
    },
  };
}
