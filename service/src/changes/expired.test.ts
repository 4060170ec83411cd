import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { seedChanges } from '../../test/harness/records.ts';
import { DAY_MS } from '../config/time.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { deleteExpiredChanges } from './expired.ts';
import { readRows } from './rows.ts';

const database = await createTestDatabase();
const { pool } = database;
const workspace = () => inTransaction(pool, (client) => createWorkspace(client, 'test'));
const change = { type: 'company.deleted', recordId: 'com_1', companyId: 'com_1', doc: null };
const rowsOf = (workspaceId: string) =>
  readRows(pool, { workspaceId, ascending: true, start: undefined, changes: 10_000, searches: true });
/** Makes all changes so far older. */
const age = (workspaceId: string, days: number) =>
  pool.query(`update changes set last_at = last_at - $2 * interval '1 day' where workspace_id = $1`, [
    workspaceId,
    days,
  ]);

test('deletes what is older than the retention, of every workspace, and moves the start of the feed there', async () => {
  const [old, both, young] = [await workspace(), await workspace(), await workspace()];
  for (const id of [old, both]) {
    for (let i = 0; i < 3; i++)
      await seedChanges(
        pool,
        id,
        Array.from({ length: 70 }, () => change),
      );
    await age(id, 31);
  }
  const before = await rowsOf(both);
  for (const id of [both, young]) await seedChanges(pool, id, [change]);
  expect(await deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: Date.now() })).toBe(420);
  expect((await rowsOf(both)).rows).toHaveLength(1);
  expect((await rowsOf(both)).completeAfter).toBe(before.rows.at(-1)?.lastAt);
  expect((await rowsOf(old)).rows).toEqual([]);
  expect((await rowsOf(old)).newest).toBe((await rowsOf(old)).completeAfter);
  expect(await rowsOf(young)).toMatchObject({ rows: [{}], completeAfter: 0 });
});

test('deletes more rows than one statement does', async () => {
  const id = await workspace();
  const types = ['company.created', 'company.deleted'];
  await seedChanges(
    pool,
    id,
    Array.from({ length: 250 }, (_, i) => ({ ...change, type: types[i % 2] ?? '' })),
  );
  await age(id, 31);
  expect(await deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: Date.now() })).toBe(250);
});

test('deletes nothing that is young by one of the two clocks', async () => {
  const id = await workspace();
  await seedChanges(pool, id, [change]);
  const future = Date.now() + 60 * DAY_MS;
  expect(await deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: future })).toBe(0);
  await age(id, 31);
  const past = Date.now() - 60 * DAY_MS;
  expect(await deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: past })).toBe(0);
  expect(await deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: future })).toBe(1);
});

test('deletes the changes of the other workspaces if those of one cannot be deleted, and throws then', async () => {
  const ids = [await workspace(), await workspace(), await workspace()];
  const [first = ''] = ids;
  for (const id of ids) {
    await seedChanges(pool, id, [change]);
    await age(id, 31);
  }
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before delete on changes for each row when (old.workspace_id = '${first}') execute function refuse()`);
  const run = () => deleteExpiredChanges(pool, { retentionDays: 30, nodeNowMs: Date.now() });
  await expect(run()).rejects.toThrow(`${first}: refused`);
  expect(
    (await pool.query("select workspace_id as id from changes where last_at < now() - interval '30 days'"))
      .rows,
  ).toEqual([{ id: first }]);
  await pool.query('drop trigger refuse on changes');
  expect(await run()).toBe(1);
});
