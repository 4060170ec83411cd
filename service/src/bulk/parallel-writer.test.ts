import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, idsIn, importText, ndjson, workspaceWith, wrongCounts } from '../../test/harness/import.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { TEST_ACTOR } from '../../test/harness/service.ts';
import { findingsOf } from '../../test/harness/verify.ts';
import { inTransaction } from '../database/pool.ts';
import { insertRecords } from '../records/insert.ts';
import { audits } from '../resources/index.ts';
import { parallelWriter } from './parallel-writer.ts';

const { pool } = await createTestDatabase();
const TIMEOUT_MS = 60_000;

const many = (count: number, prefix = 'a') =>
  Array.from({ length: count }, (_, i) => auditOf(`${prefix}${String(i).padStart(6, '0')}`));

/** The number of imports in the workspace's log, and of the audits that they have added. */
async function logged(workspaceId: string): Promise<{ readonly entries: number; readonly records: number }> {
  const { rows } = await pool.query<{ entries: number; records: number }>(
    `select count(*) as entries, coalesce(sum((doc::json ->> 'records')::int), 0) as records from audit_log_entries
     where workspace_id = $1 and doc::json ->> 'resource' = 'audits'`,
    [workspaceId],
  );
  return rows[0] ?? { entries: 0, records: 0 };
}

/** Connections that COPY audits in this database now. */
const copying = async (): Promise<readonly number[]> =>
  (
    await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and state = 'active' and query like 'copy audits %' order by query_start`,
    )
  ).rows.map(({ pid }) => pid);

test('records have the order of the file, one entry counts them batch by batch, and each batch is reported in order', async () => {
  const ws = await workspaceWith(pool, 'c1');
  const file = many(31_000);
  const seen: number[] = [];
  const report = await importText(pool, ws, 'audits', ndjson(file), {
    parallel: true,
    onProgress: ({ inserted }) => seen.push(inserted),
  });
  expect(report).toMatchObject({ inserted: 31_000, existing: 0, refused: 0 });
  expect(seen).toEqual([...Array.from({ length: 10 }, (_, i) => (i + 1) * 3_000), 31_000]);
  expect(await idsIn(pool, ws)).toEqual(file.map(({ id }) => id));
  expect(await wrongCounts(pool, ws)).toEqual([]);
  expect(await logged(ws)).toEqual({ entries: 1, records: 31_000 });
});

test('if a file has an id twice, the first record is written, also while its batch is not committed', async () => {
  const ws = await workspaceWith(pool, 'c1');
  const file = many(3_000);
  const again = file.map((one) => ({ ...one, headlineScore: 1 }));
  const bad = [auditOf('late', { companyId: 'nobody' }), auditOf('late')];
  const report = await importText(
    pool,
    ws,
    'audits',
    ndjson([...file, ...again, ...again, ...bad, ...many(3_000, 'b')]),
    { parallel: true },
  );
  expect(report).toMatchObject({ inserted: 6_001, existing: 6_000, refused: 1 });
  const { rows } = await pool.query('select 1 from audits where workspace_id = $1 and headline_score = 1', [
    ws,
  ]);
  expect(rows).toEqual([]);
  expect(await wrongCounts(pool, ws)).toEqual([]);
});

test(
  'with other writers and another parallel import, no record appears before records that a reader has seen',
  async () => {
    const ws = await workspaceWith(pool, 'c1');
    const state = { done: false };
    const single = async (prefix: string): Promise<number> => {
      let n = 0;
      for (; !state.done; n++) {
        await inTransaction(pool, (client) => insertRecords(client, ws, audits, [auditOf(`${prefix}${n}`)]));
      }
      return n;
    };
    // A reader that pages towards newer records sees each record once, in the order of created_at.
    const tail = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      let position = ['-infinity', ''];
      for (;;) {
        const last = state.done;
        const { rows } = await pool.query<{ id: string; at: string }>(
          `select id, created_at::text as at from audits where workspace_id = $1 and (created_at, id) > ($2, $3)
           order by created_at, id limit 500`,
          [ws, ...position],
        );
        seen.push(...rows.map(({ id }) => id));
        const newest = rows.at(-1);
        if (newest !== undefined) position = [newest.at, newest.id];
        else if (last) return seen;
      }
    };
    const importing = Promise.all(
      ['x', 'y'].map((prefix) =>
        importText(pool, ws, 'audits', ndjson(many(24_000, prefix)), { parallel: true }),
      ),
    ).finally(() => {
      state.done = true;
    });
    const [reports, tailed, ...singles] = await Promise.all([importing, tail(), single('s'), single('t')]);
    expect(reports.map(({ inserted }) => inserted)).toEqual([24_000, 24_000]);
    expect(singles.every((count) => count > 0)).toBe(true);
    const there = await idsIn(pool, ws);
    expect(there).toHaveLength(48_000 + singles.reduce((sum, count) => sum + count, 0));
    // The writers may have continued after the last read.
    expect(tailed).toEqual(there.slice(0, tailed.length));
    expect(await findingsOf(pool)).toEqual([]);
  },
  TIMEOUT_MS,
);

test('after the timestamps that were reserved, a batch continues the ranks of a record that came before it', async () => {
  const ws = await workspaceWith(pool, 'c1');
  const insert = (id: string) =>
    inTransaction(pool, (client) => insertRecords(client, ws, audits, [auditOf(id)]));
  await insert('a');
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from record_counts where workspace_id = $1 for update', [ws]);
  const target = { pool, workspaceId: ws, resource: audits, importId: 'imp', by: TEST_ACTOR };
  const writer = parallelWriter(target, 1_000);
  const none = { records: [], refused: [], bytes: 0, recordsRead: 1_000, digest: null };
  const batches = ['b', 'c'].map((prefix) => writer.write(many(1_000, prefix), none));
  await expect.poll(() => waitingForLocks(pool)).toBe(1);
  const single = insert('z');
  await expect.poll(() => waitingForLocks(pool)).toBe(2);
  await holder.query('rollback');
  holder.release();
  await Promise.all([...batches, single]);
  const there = await idsIn(pool, ws);
  expect([there.length, there[1_001]]).toEqual([2_002, 'z']);
  expect(await findingsOf(pool)).toEqual([]);
});

test('a slow import reserves timestamps every 20 seconds, so that its workspace counts as written', async () => {
  const ws = await workspaceWith(pool, 'c1');
  const clock = async () =>
    (await pool.query('select last_at::text from workspace_clocks where workspace_id = $1', [ws])).rows[0];
  let now = 0;
  const target = { pool, workspaceId: ws, resource: audits, importId: 'imp', by: TEST_ACTOR };
  const writer = parallelWriter(target, 100_000, () => now);
  const none = { records: [], refused: [], bytes: 0, recordsRead: 1_000, digest: null };
  await writer.write(many(1_000, 'a'), none);
  const first = await clock();
  await writer.write(many(1_000, 'b'), none);
  expect(await clock()).toEqual(first);
  now += 21_000;
  await writer.write(many(1_000, 'c'), none);
  expect(await clock()).not.toEqual(first);
  expect(await findingsOf(pool)).toEqual([]);
});

test.each(['earlier', 'later'])(
  'if the connection of the %s of two batches breaks, it fails, keeps what it reported, and a second run completes it',
  async (which) => {
    const ws = await workspaceWith(pool, 'c1');
    const file = many(60_000);
    let reported = 0;
    const failing = importText(pool, ws, 'audits', ndjson(file), {
      parallel: true,
      onProgress: ({ inserted }) => {
        reported = inserted;
      },
    });
    failing.catch(() => undefined);
    await waitFor(
      async () => {
        const pids = await copying();
        expect(pids).toHaveLength(2);
        await pool.query('select pg_terminate_backend($1)', [pids[which === 'earlier' ? 0 : 1]]);
      },
      { timeout: 10_000, interval: 1 },
    );
    await expect(failing).rejects.toThrow();
    const there = await idsIn(pool, ws);
    expect(there.length).toBeGreaterThanOrEqual(reported);
    expect(there.length).toBeLessThan(60_000);
    expect(there).toEqual(file.slice(0, there.length).map(({ id }) => id));
    expect(await logged(ws)).toMatchObject({ records: there.length });
    expect(await findingsOf(pool)).toEqual([]);
    expect(await importText(pool, ws, 'audits', ndjson(file), { parallel: true })).toMatchObject({
      inserted: 60_000 - there.length,
      existing: there.length,
    });
    expect(await idsIn(pool, ws)).toEqual(file.map(({ id }) => id));
    expect(await findingsOf(pool)).toEqual([]);
  },
  TIMEOUT_MS,
);
