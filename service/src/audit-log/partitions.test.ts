import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { databaseNow, dropExpiredPartitions, ensurePartitions, listPartitions } from './partitions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FIVE_MINUTES_MS = 5 * 60 * 1000;
const RACERS = 5;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  for (const { name } of await listPartitions(database.pool)) await database.pool.query(`drop table ${name}`);
});

const names = async () => (await listPartitions(database.pool)).map(({ name }) => name);
const dropAt = (databaseNowMs: number, retentionDays: number, nodeNowMs = databaseNowMs) =>
  dropExpiredPartitions(database.pool, { retentionDays, nodeNowMs, databaseNowMs });
const write = (at: string) =>
  database.pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, doc) values ('wks_1', $1::text, ($1::text)::timestamptz, 'api.request', '{}')`,
    [at],
  );

describe('the partitions of the audit log', () => {
  test('are created once for this month and the next ones, also over the end of the year', async () => {
    const now = Date.UTC(2026, 10, 30, 23, 59);
    const created = ['audit_log_2026_11', 'audit_log_2026_12', 'audit_log_2027_01', 'audit_log_2027_02'];
    expect(await ensurePartitions(database.pool, now)).toEqual({ created });
    expect(await ensurePartitions(database.pool, now)).toEqual({ created: [] });
    expect(await ensurePartitions(database.pool, now + DAY_MS)).toEqual({ created: ['audit_log_2027_03'] });
    expect(await names()).toEqual([...created, 'audit_log_2027_03']);
  });

  test('are created once by nodes that start at the same time', async () => {
    const now = Date.UTC(2026, 2, 1);
    const results = await Promise.all(
      Array.from({ length: RACERS }, () => ensurePartitions(database.pool, now)),
    );
    expect(results.flatMap((each) => each.created).toSorted()).toEqual(await names());
    expect(await names()).toHaveLength(4);
  });

  test('contain every time of their month in UTC, and no other', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 1, 15));
    for (const at of ['2026-02-01T00:00:00Z', '2026-02-28T23:59:59.999999Z', '2026-05-31T23:59:59.999999Z']) {
      await write(at);
    }
    for (const at of ['2026-01-31T23:59:59.999999Z', '2026-06-01T00:00:00Z']) {
      await expect(write(at)).rejects.toThrow('no partition');
    }
  });

  test('are created while readers and writers use the log, for any time', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    const client = await database.pool.connect();
    try {
      await client.query(
        'begin; lock table audit_log in row exclusive mode; lock table audit_log in access share mode',
      );
      expect((await ensurePartitions(database.pool, Date.UTC(2026, 1, 1))).created).toEqual([
        'audit_log_2026_05',
      ]);
    } finally {
      await client.query('rollback');
      client.release();
    }
    await write('2026-05-01T00:00:00Z');
  });

  test('are skipped while another transaction holds the log, unless the partition of this month is missing', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    const client = await database.pool.connect();
    try {
      await client.query('begin; lock table audit_log in share mode');
      expect(await ensurePartitions(database.pool, Date.UTC(2026, 1, 1))).toEqual({
        created: [],
        held: true,
      });
      await expect(ensurePartitions(database.pool, Date.UTC(2026, 4, 1))).rejects.toThrow('lock timeout');
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await ensurePartitions(database.pool, Date.UTC(2026, 1, 1))).created).toEqual([
      'audit_log_2026_05',
    ]);
  });

  test('are like the partitions of the migration: the same key and indexes, nothing more', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    await database.pool.query(
      `create table audit_log_2027_01 partition of audit_log for values from ('2027-01-01') to ('2027-02-01')`,
    );
    const shape = async (name: string): Promise<unknown> => {
      const { rows } = await database.pool.query(
        `select array(select indexdef from pg_indexes where tablename = $1 order by 1) as indexes,
          array(select conname || pg_get_constraintdef(oid) from pg_constraint where conrelid = $1::regclass order by 1) as constraints`,
        [name],
      );
      return JSON.parse(JSON.stringify(rows).replaceAll(name, 'PARTITION'));
    };
    expect(await shape('audit_log_2026_01')).toEqual(await shape('audit_log_2027_01'));
  });

  test('are created by the clock of the database, which sets the times of the entries', async () => {
    const { rows } = await database.pool.query<{ month: string }>(
      `select to_char(now(), 'YYYY_MM') as month`,
    );
    const { created } = await ensurePartitions(database.pool);
    expect([created.length, created[0]]).toEqual([4, `audit_log_${rows[0]?.month}`]);
    expect(Math.abs((await databaseNow(database.pool)) - Date.now())).toBeLessThan(60_000);
  });

  test('are dropped when their newest possible entry is older than the retention, not a moment before', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    const expires = Date.UTC(2026, 1, 1) + 30 * DAY_MS;
    expect(await dropAt(expires - 1, 30)).toEqual({ dropped: [] });
    expect(await dropAt(expires, 30)).toEqual({ dropped: ['audit_log_2026_01'] });
    expect(await names()).toEqual(['audit_log_2026_02', 'audit_log_2026_03', 'audit_log_2026_04']);
  });

  test('are dropped with the counts of their imports, and with no other counts', async () => {
    const { pool } = database;
    await ensurePartitions(pool, Date.UTC(2026, 0, 1));
    const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
    await pool.query(
      `insert into imports (workspace_id, id, created_at, records)
       values ($1, 'imp_january', '2026-01-20T00:00:00Z', 1), ($1, 'imp_february', '2026-02-01T00:00:00Z', 1)`,
      [workspaceId],
    );
    await dropAt(Date.UTC(2026, 1, 1) + 30 * DAY_MS, 30);
    const { rows } = await pool.query<{ id: string }>('select id from imports');
    expect(rows).toEqual([{ id: 'imp_february' }]);
  });

  test('are kept while the clocks of the node and of the database differ by more than five minutes', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    const expires = Date.UTC(2026, 1, 1) + 30 * DAY_MS;
    for (const apart of [FIVE_MINUTES_MS + 1, -FIVE_MINUTES_MS - 1, 600 * DAY_MS]) {
      expect(await dropAt(expires, 30, expires + apart)).toEqual({
        dropped: [],
        doubt: expect.stringMatching(/^the clocks of this node and of the database differ by \d+ s$/),
      });
    }
    expect(await names()).toHaveLength(4);
    expect(await dropAt(expires, 30, expires + FIVE_MINUTES_MS)).toEqual({ dropped: ['audit_log_2026_01'] });
  });

  test('are all kept if the newest entry would be dropped, also if both clocks are wrong', async () => {
    await ensurePartitions(database.pool, Date.UTC(2026, 0, 1));
    await write('2026-01-10T00:00:00Z');
    await write('2026-02-10T00:00:00Z');
    expect(await dropAt(Date.UTC(2031, 0, 1), 30)).toEqual({
      dropped: [],
      doubt: 'the newest entry, in audit_log_2026_02, would be among them',
    });
    expect(await names()).toHaveLength(4);
    await write('2026-03-10T00:00:00Z');
    expect(await dropAt(Date.UTC(2026, 3, 1), 30)).toEqual({
      dropped: ['audit_log_2026_01', 'audit_log_2026_02'],
    });
  });
});
