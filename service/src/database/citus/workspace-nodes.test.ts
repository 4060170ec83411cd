import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { detectDistribution } from './detect.ts';
import { createWorkspaceNodes } from './workspace-nodes.ts';

const { pool } = await createTestDatabase();
const IDS = Array.from({ length: 20 }, (_, n) => `wks_${n}`);

// Skipped in a cluster.
test.skipIf(inCluster())(
  'on one PostgreSQL, the node of all workspaces is empty, once it has been asked',
  async () => {
    const workspaceNodes = createWorkspaceNodes(detectDistribution());
    expect(workspaceNodes.of('wks_1')).toBeUndefined();
    await workspaceNodes.find(pool, ['wks_1']);
    expect(IDS.map(workspaceNodes.of)).toEqual(IDS.map(() => ''));
    expect(workspaceNodes.nodes.size).toBe(0);
  },
);

// Skipped on one PostgreSQL, which has no nodes.
test.runIf(inCluster())('in a cluster, a workspace has a node until it is forgotten', async () => {
  const workspaceNodes = createWorkspaceNodes(detectDistribution());
  await workspaceNodes.find(pool, IDS);
  const { rows } = await pool.query<{ id: string; node: string }>(
    `select w.id, concat(n.nodename, ':', n.nodeport) as node from unnest($1::text[]) with ordinality as w (id, place)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('live_meters', w.id)
     join pg_dist_node n using (groupid) order by place`,
    [IDS],
  );
  expect(IDS.map(workspaceNodes.of)).toEqual(rows.map(({ node }) => node));
  expect(rows.every(({ node }) => workspaceNodes.nodes.has(node))).toBe(true);
  workspaceNodes.forget(['wks_1']);
  expect(workspaceNodes.of('wks_1')).toBeUndefined();
  expect(workspaceNodes.of('wks_2')).toBeDefined();
  await workspaceNodes.find(pool, ['wks_1']);
  expect(workspaceNodes.of('wks_1')).toBe(rows[1]?.node);
});
