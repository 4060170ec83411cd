import type { IsDistributed } from '../../database/citus/detect.ts';
import type { Queryable } from '../../database/lane.ts';
import { preparedStatement } from '../../database/statement.ts';

/** Which workspaces a transaction may write together: all of one PostgreSQL, or those of one node of a cluster. */
export interface Places {
  /** The node of a workspace. Empty: the database is one PostgreSQL. Undefined: it must be found first. */
  of(workspaceId: string): string | undefined;
  /** Finds the places of workspaces. It may forget others. */
  find(connections: Queryable, workspaceIds: readonly string[]): Promise<void>;
  /** Forgets places that were wrong, such as after a shard was divided. */
  forget(workspaceIds: readonly string[]): void;
}

/** The most workspaces whose places are stored. */
const STORED_MAX = 100_000;
/** A shard that was moved is on another node. */
const STORED_MS = 60_000;

const selectNodes = preparedStatement('nodes_of_workspaces', 'control')`
  select w.id, concat(n.nodename, ':', n.nodeport) as node
  from unnest($1::text[]) as w (id)
  join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('live_meters', w.id)
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`;

export function createPlaces(isDistributed: IsDistributed): Places {
  const known = new Map<string, string>();
  let single = false;
  let clearedAtMs = performance.now();
  return {
    of: (workspaceId) => (single ? '' : known.get(workspaceId)),
    async find(connections, workspaceIds) {
      if (!(await isDistributed(connections))) {
        single = true;
        return;
      }
      if (known.size >= STORED_MAX || performance.now() - clearedAtMs > STORED_MS) {
        known.clear();
        clearedAtMs = performance.now();
      }
      const { rows } = await connections.query<{ readonly id: string; readonly node: string }>(
        selectNodes(workspaceIds),
      );
      for (const { id, node } of rows) known.set(id, node);
    },
    forget(workspaceIds) {
      for (const id of workspaceIds) known.delete(id);
    },
  };
}
