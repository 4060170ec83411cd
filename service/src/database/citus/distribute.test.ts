import { FIXED_SETTINGS } from '@svc/postgres-sessions';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { NODES_MAX } from '../../config/limits.ts';
import { migrate } from '../migrate.ts';
import { distribute } from './distribute.ts';
import { LOCAL_TRIGGERS } from './placements.ts';

/** What the nodes of a cluster get. These tests run only on a cluster (docs/scale.md). */

/** The settings on the workers, in sessions that the coordinator opens now. */
async function settingsOnWorkers(url: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names = FIXED_SETTINGS.map(([name]) => `'${name}'`).join(', ');
  const { rows } = await client
    .query<{ success: boolean; result: string }>('select success, result from run_command_on_workers($1)', [
      `select json_object_agg(name, split_part(setting, ',', 1)) from pg_settings where name in (${names})`,
    ])
    .finally(() => client.end());
  return rows.map(({ success, result }) => (success ? JSON.parse(result) : result));
}

// Skipped on plain PostgreSQL, which has no workers.
test.runIf(inCluster())(
  'the sessions of the coordinator on the workers have the settings of ours',
  async () => {
    const { pool, url } = await createTestDatabase();
    const wanted = Object.fromEntries(FIXED_SETTINGS);
    const found = await settingsOnWorkers(url);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(found.map(() => wanted));

    await pool.query(`alter database ${new URL(url).pathname.slice(1)} reset enable_sort`);
    expect(await settingsOnWorkers(url)).toEqual(found.map(() => ({ ...wanted, enable_sort: 'on' })));
    await distribute(pool);
    expect(await settingsOnWorkers(url)).toEqual(found.map(() => wanted));
  },
);

// Skipped on plain PostgreSQL, which has no nodes.
test.runIf(inCluster())(
  'a cluster with more nodes than are supported is refused, with the limit',
  async () => {
    const { pool } = await createTestDatabase();
    // Only the catalog knows these nodes.
    await pool.query(
      `insert into pg_dist_node (groupid, nodename, nodeport) select 10000 + n, 'none', n from generate_series(1, $1) n`,
      [NODES_MAX],
    );
    try {
      await expect(distribute(pool)).rejects.toThrow(
        /^the cluster has 1\d\d nodes with data, and the service supports at most 128\. /,
      );
    } finally {
      await pool.query(`delete from pg_dist_node where nodename = 'none'`);
    }
    expect((await distribute(pool)).filter(({ moved }) => moved)).toEqual([]);
  },
);

// Skipped on plain PostgreSQL, which cannot distribute tables.
test.runIf(inCluster())(
  'the triggers of a single database are there until its tables are distributed',
  async () => {
    const { pool } = await createTestDatabase({ template: false });
    const triggers = async () =>
      (
        await pool.query<{ tgname: string }>(`select tgname from pg_trigger where tgname = any($1)`, [
          LOCAL_TRIGGERS,
        ])
      ).rows
        .map(({ tgname }) => tgname)
        .toSorted();
    await migrate(pool);
    expect(await triggers()).toEqual(LOCAL_TRIGGERS.toSorted());
    await distribute(pool);
    expect(await triggers()).toEqual([]);
  },
);
