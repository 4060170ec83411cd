import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { countUsage, searchMarks } from '../../src/audit-log/usage/count-usage.ts';
import type { TestDatabase } from '../harness/database.ts';
import { metered, PLANS, sharesOf } from './buffers.ts';
import { createState, partitionsOf, STATES, type StateName } from './states.ts';

/** The statements that count usage in the background. */

/** The entries of a workspace have this many keys, and this many latencies for each. */
const KEYS = 2;
const LATENCIES = 3;
/** The mark, read and moved, and the end of the range of entries. */
const WORKSPACE_MAX = 30;
/** The end of the range of entries, in each partition of the audit log. */
const PARTITION_MAX = 3;
/** A row of usage or traffic: read, written, its indexes and its foreign key. */
const SUM_MAX = 20;
const ENTRY_MAX = 1.5;
/** The mark and the clock of the log. */
const SEARCHED_MAX = 10;

/** Creates workspaces with new entries, and with test requests that are only in memory. */
async function createWorkspaces(client: pg.PoolClient, count: number, entries: number) {
  const { rows } = await client.query<{ id: string }>(
    `with ids as (select 'wks_' || md5(random()::text) as id from generate_series(1, $1)),
      created as (insert into workspaces (id, name) select id, 'test' from ids),
      meters as (insert into live_meters (workspace_id, last_entry_at) select id, now() from ids)
    select id from ids`,
    [count],
  );
  const ids = rows.map(({ id }) => id);
  await client.query(
    `insert into audit_log (workspace_id, id, created_at, kind, key_id, doc, status, latency_bucket)
     select w, 'log_' || n, now() + n * interval '1 microsecond', 'api.request', 'key_' || n % ${KEYS}, '{}', 200, n % ${LATENCIES}
     from unnest($1::text[]) w, generate_series(1, $2) n`,
    [ids, entries],
  );
  const sums = [{ key_id: 'key_of_test', bucket: 1, requests: 2, errors: 1 }];
  return new Map(ids.map((id) => [id, sums]));
}

describe.each(Object.keys(STATES) as StateName[])('in a database %s', (name) => {
  let database: TestDatabase;
  let workspaceId: string;
  let partitions: number;
  beforeAll(async () => {
    const state = await createState(name);
    ({ database, workspaceId } = state);
    partitions = await partitionsOf(state);
  });

  describe.each(PLANS)('and with %s', (plan) => {
    test.each([
      [1, 1],
      [1, 1_000],
      [10, 1],
      [10, 6],
      [100, 10],
    ])(
      'counting %i workspaces of %i entries reads a bounded number of buffers for each, also when their sums exist',
      async (count, entries) => {
        await metered(database, plan, async ({ client, measure }) => {
          const workspaces = await createWorkspaces(client, count, entries);
          const countAll = async (): Promise<number> => {
            const statements = await measure(async (measured) => {
              const counted = await countUsage(sharesOf(measured).connections, workspaces, entries + 1);
              expect([...counted.values()]).toEqual(Array.from({ length: count }, () => 'all'));
            });
            return statements.reduce((sum, { buffers }) => sum + buffers, 0);
          };
          const sums = Math.min(entries, KEYS) + Math.min(entries, LATENCIES) + 2;
          const each = WORKSPACE_MAX + partitions * PARTITION_MAX + sums * SUM_MAX + entries * ENTRY_MAX;
          const first = await countAll();
          await client.query(`update usage_marks set counted_until = 'epoch' where workspace_id = any ($1)`, [
            [...workspaces.keys()],
          ]);
          const again = await countAll();
          expect(first).toBeLessThanOrEqual(count * each);
          expect(again).toBeLessThanOrEqual(count * each);
        });
      },
    );

    test('a huge workspace costs as many entries as are asked for', async () => {
      await metered(database, plan, async ({ measure }) => {
        const asked = 50;
        const statements = await measure(async (measured) => {
          const { connections } = sharesOf(measured);
          const counted = await countUsage(connections, new Map([[workspaceId, []]]), asked);
          expect([...counted.values()]).toEqual(['some']);
        });
        const buffers = statements.reduce((sum, each) => sum + each.buffers, 0);
        expect(buffers).toBeLessThanOrEqual(WORKSPACE_MAX + partitions * PARTITION_MAX + asked * ENTRY_MAX);
      });
    });

    test('the search for workspaces that are not counted reads a bounded number of buffers for each', async () => {
      await metered(database, plan, async ({ client, measure }) => {
        const { rows } = await client.query<{ count: number }>(
          'select least(count(*), 1000) as count from usage_marks',
        );
        const [search] = await measure((measured) => measured.query(searchMarks('')));
        expect(search?.buffers).toBeLessThanOrEqual(SEARCHED_MAX * (rows[0]?.count ?? Number.NaN));
      });
    });
  });
});
