import { expect, test } from 'vitest';
import { ensurePartitions } from '../../src/audit-log/partitions.ts';
import { buildEventIndex } from '../../src/database/build-indexes.ts';
import { createTestDatabase } from '../harness/database.ts';
import { inCluster, waitingForLocks } from '../harness/locks.ts';

const NEXT_YEAR = Date.now() + 365 * 24 * 60 * 60 * 1000;

// The migration builds it in a cluster.
test.skipIf(inCluster())(
  'an upgrade builds the index of events in each partition while others write, and again what a killed start has left',
  async () => {
    const { pool } = await createTestDatabase();
    await pool.query('drop index audit_log_by_event');
    const { rows: partitions } = await pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass order by 1`,
    );
    const [first = '', second = ''] = partitions.map(({ name }) => name);
    const write = `insert into audit_log (workspace_id, id, created_at, kind, doc)
      values ('wks_1', gen_random_uuid(), now(), 'key.created', '{}')`;
    await pool.query(write);
    // A start was killed after it had built the index of one partition, and while it built another one.
    await pool.query(`create index ${first}_by_event on ${first} (id)`);
    const writer = await pool.connect();
    await writer.query(`begin; lock table ${second} in row exclusive mode`);
    const killed = await pool.connect();
    await killed.query(`set statement_timeout = '100ms'`);
    await expect(
      killed.query(`create index concurrently ${second}_by_event on ${second} (id)`),
    ).rejects.toMatchObject({ code: '57014' });
    killed.release(true);

    // Two nodes start at the same time. The writer still holds its lock, until one waits for it.
    const clients = [await pool.connect(), await pool.connect()];
    const nodes = Promise.all(clients.map((client) => buildEventIndex(client)));
    await expect.poll(() => waitingForLocks(pool)).toBeGreaterThan(0);
    await pool.query(write);
    const { created } = await ensurePartitions(pool, NEXT_YEAR);
    await writer.query('commit');
    writer.release();
    await nodes;
    for (const client of clients) client.release();

    const { rows } = await pool.query<{ partition: string; definition: string }>(
      `select i.indrelid::regclass::text as partition, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_inherits a on a.inhrelid = i.indexrelid
       where a.inhparent = 'audit_log_by_event'::regclass and i.indisvalid order by 1`,
    );
    expect(rows.map(({ partition }) => partition)).toEqual(
      [...partitions.map(({ name }) => name), ...created].toSorted(),
    );
    for (const { definition } of rows)
      expect(definition).toMatch(/\(workspace_id, kind, created_at, id\) WHERE \(kind <> 'api\.request'/);
    const { rows: parent } = await pool.query<{ valid: boolean }>(
      `select indisvalid as valid from pg_index where indexrelid = 'audit_log_by_event'::regclass`,
    );
    expect(parent).toEqual([{ valid: true }]);
  },
);
