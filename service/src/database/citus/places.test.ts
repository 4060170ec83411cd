import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { detectDistribution } from './detect.ts';
import { createPlaces } from './places.ts';

const { pool } = await createTestDatabase();
const IDS = Array.from({ length: 20 }, (_, n) => `wks_${n}`);

// Skipped in a cluster.
test.skipIf(inCluster())(
  'one PostgreSQL is the empty place of all workspaces, once it has been asked',
  async () => {
    const places = createPlaces(detectDistribution());
    expect(places.of('wks_1')).toBeUndefined();
    await places.find(pool, ['wks_1']);
    expect(IDS.map(places.of)).toEqual(IDS.map(() => ''));
    expect(places.nodes.size).toBe(0);
  },
);

// Skipped on one PostgreSQL, which has no nodes.
test.runIf(inCluster())('in a cluster, a workspace has a node until it is forgotten', async () => {
  const places = createPlaces(detectDistribution());
  await places.find(pool, IDS);
  const { rows } = await pool.query<{ id: string; node: string }>(
    `select w.id, concat(n.nodename, ':', n.nodeport) as node from unnest($1::text[]) with ordinality as w (id, place)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('live_meters', w.id)
     join pg_dist_node n using (groupid) order by place`,
    [IDS],
  );
  expect(IDS.map(places.of)).toEqual(rows.map(({ node }) => node));
  expect(rows.every(({ node }) => places.nodes.has(node))).toBe(true);
  places.forget(['wks_1']);
  expect(places.of('wks_1')).toBeUndefined();
  expect(places.of('wks_2')).toBeDefined();
  await places.find(pool, ['wks_1']);
  expect(places.of('wks_1')).toBe(rows[1]?.node);
});
