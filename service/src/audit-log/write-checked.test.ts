import { expect, test } from 'vitest';
import { inCluster } from '../../test/harness/locks.ts';
import { createTestService } from '../../test/harness/service.ts';
import { groupOf, requestOf } from './append-requests.fixture.ts';
import { writeChecked } from './write-checked.ts';

const LOCK_TIMEOUT_MS = 10_000;

// Skipped on one PostgreSQL, which has no nodes.
test.runIf(inCluster())(
  'requests of a node that are written outside of a transaction share one commit there',
  async () => {
    const service = await createTestService();
    const callers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const workspaceId = await service.workspace();
        return { workspaceId, keyId: (await service.issue(workspaceId)).keyId };
      }),
    );
    const { rows: places } = await service.pool.query<{ id: string; node: string; shard: string }>(
      `select w.id, nodeport::text as node, p.shardid::text as shard from unnest($1::text[]) as w (id)
     join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('audit_log', w.id)`,
      [callers.map(({ workspaceId }) => workspaceId)],
    );
    const byNode = Map.groupBy(places, ({ node }) => node);
    const [same = []] = [...byNode.values()].toSorted((a, b) => b.length - a.length);
    expect(new Set(same.map(({ shard }) => shard)).size).toBeGreaterThan(1);
    const here = callers.filter(({ workspaceId }) => same.some(({ id }) => id === workspaceId));
    const patience = { waitFor: undefined, lockTimeoutMs: LOCK_TIMEOUT_MS };
    await writeChecked(service.pool, groupOf(here.map((caller) => requestOf(caller))), patience);
    const { rows } = await service.pool.query<{ entries: number; transactions: number }>(
      `select count(*)::int as entries, count(distinct xmin::text)::int as transactions from audit_log
     where kind = 'api.request' and workspace_id = any($1)`,
      [here.map(({ workspaceId }) => workspaceId)],
    );
    expect(rows).toEqual([{ entries: here.length, transactions: 1 }]);
  },
);
