import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { dropExpiredPartitions, ensurePartitions, listPartitions } from './partitions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RACERS = 5;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  for (const { name } of await listPartitions(database.pool)) await database.pool.query(`drop table ${name}`);
});

const names = async () => (await listPartitions(database.pool)).map(({ name }) => name);
const write = (at: string) =>
  database.pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, doc) values ('wks_1', $1::text, ($1::text)::timestamptz, 'api.request', '{}')`,
    [at],
  );

describe('the partitions of the audit log', () => {
  test('are made for this month and those ahead, over the turn of the year, once', async () => {
    const now = Date.UTC(2026, 10, 30, 23, 59);
    const made = ['audit_log_2026_11', 'audit_log_2026_12', 'audit_log_2027_01', 'audit_log_2027_02'];
    expect(await ensurePartitions(database.pool, now)).toEqual(made);
    expect(await ensurePartitions(database.pool, now)).toEqual([]);
    expect(await ensurePartitions(database.pool, now + DAY_MS)).toEqual(['audit_log_2027_03']);
    expect(await names()).toEqual([...made, 'audit_log_2027_03']);
  });

  test('are made once by nodes that start at the same instant', async () => {
    const now = Date.UTC(2026, 2, 1);
    const made = await Promise.all(
      Array.from({ length: RACERS }, () => ensurePartitions(database.pool, now)),
    );
    expect(made.flat().toSorted()).toEqual(await names());
    expect(await names()).toHaveLength(4);
  });

  test('hold every instant of their month in UTC, and no other', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 1, 15));
    for (const at of ['2026-02-01T00:00:00Z', '2026-02-28T23:59:59.999999Z', '2026-05-31T23:59:59.999999Z']) {
      await write(at);
    }
    for (const at of ['2026-01-31T23:59:59.999999Z', '2026-06-01T00:00:00Z']) {
      await expect(write(at)).rejects.toThrow('no partition');
    }
  });

  test('are dropped when their newest possible entry is older than the retention, not a moment before', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    const expires = Date.UTC(2026, 1, 1) + 30 * DAY_MS;
    expect(await dropExpiredPartitions(database.pool, expires - 1, 30)).toEqual([]);
    expect(await dropExpiredPartitions(database.pool, expires, 30)).toEqual(['audit_log_2026_01']);
    expect(await names()).toEqual(['audit_log_2026_02', 'audit_log_2026_03', 'audit_log_2026_04']);
  });
});
