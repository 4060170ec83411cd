import { expect, test } from 'vitest';
import { buildWordIndexes } from '../../src/database/build-indexes.ts';
import { createTestDatabase } from '../harness/database.ts';
import { inCluster } from '../harness/locks.ts';

const INDEXES = ['companies_by_word', 'content_by_word', 'mentions_by_word'];

// The migration builds them in a cluster.
test.skipIf(inCluster())(
  'an upgrade creates the indexes of words without rows while others write, and again those that a killed start has left',
  async () => {
    const { pool } = await createTestDatabase();
    const later = await pool.query<{ number: number; name: string; sha256: string }>(
      'delete from schema_migrations where number >= 39 returning number, name, sha256',
    );
    const writer = await pool.connect();
    await writer.query('begin; lock table mentions in row exclusive mode');
    const killed = await pool.connect();
    await killed.query(`set statement_timeout = '100ms'`);
    await expect(
      killed.query('create index concurrently mentions_by_word on mentions (id)'),
    ).rejects.toMatchObject({ code: '57014' });
    killed.release(true);
    await writer.query('rollback');
    const { rows: before } = await pool.query<{ oid: number }>(
      `select 'mentions_by_word'::regclass::oid as oid`,
    );

    // Two nodes start at the same time. A third holds a lock as a writer does, until the first index waits for it.
    await writer.query('begin; lock table content in row exclusive mode');
    const clients = [await pool.connect(), await pool.connect()];
    const nodes = Promise.all(clients.map((client) => buildWordIndexes(client)));
    await expect
      .poll(async () => {
        const { rows } = await pool.query<{ building: boolean }>(
          `select exists (select from pg_stat_progress_create_index where relid = 'content'::regclass) as building`,
        );
        return rows[0]?.building;
      })
      .toBe(true);
    await pool.query(`set lock_timeout = '2s'; lock table content in row exclusive mode; reset lock_timeout`);
    await writer.query('commit');
    writer.release();
    await nodes;

    const { rows } = await pool.query<{ name: string; oid: number }>(
      `select c.relname as name, c.oid from pg_class c join pg_index i on i.indexrelid = c.oid
     where c.relname = any ($1) and i.indisvalid and pg_get_expr(indpred, indrelid) = 'false' order by 1`,
      [INDEXES],
    );
    expect(rows.map(({ name }) => name)).toEqual(INDEXES);
    expect(rows.find(({ name }) => name === 'mentions_by_word')?.oid).not.toBe(before[0]?.oid);

    // A node that waited until another one had applied all migrations.
    await pool.query(`drop index ${INDEXES.join(', ')}`);
    await pool.query(
      'insert into schema_migrations (number, name, sha256) select * from json_to_recordset($1) m (number int, name text, sha256 text)',
      [JSON.stringify(later.rows)],
    );
    for (const client of clients) {
      await buildWordIndexes(client);
      client.release();
    }
    const left = await pool.query('select from pg_class where relname = any ($1)', [INDEXES]);
    expect(left.rowCount).toBe(0);
  },
);
