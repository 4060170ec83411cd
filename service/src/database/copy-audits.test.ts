import { waitFor } from '@svc/embedded-postgres/testing';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { copyAudits } from './copy-audits.ts';
import { migrate, readMigrationFiles } from './migrate.ts';
import { inTransaction } from './pool.ts';

const files = await readMigrationFiles();
const REPLACES = files.findIndex(({ name }) => name.endsWith('_audits_with_short_keys.sql'));
const before = files.slice(0, REPLACES);

/** A database of an earlier version, after the migration that creates the new table. */
async function earlierDatabase(): Promise<pg.Pool> {
  const { pool } = await createTestDatabase({ template: false });
  await migrate(pool, undefined, before);
  for (const id of ['w1', 'w2']) {
    await pool.query(`insert into workspaces (id, name) values ($1, 'test')`, [id]);
    await pool.query('insert into workspace_clocks (workspace_id) values ($1)', [id]);
  }
  return pool;
}

/** Inserts as a node of an earlier version does. */
const insert = (pool: pg.Pool, workspaceId: string, ids: readonly string[]) =>
  pool.query(
    `insert into audits (workspace_id, id, company_id, headline_score, completed_at, created_at, doc)
     select $1, id, 'c1', 7, now(), now(), '{"id":"' || id || '"}' from unnest($2::text[]) id`,
    [workspaceId, ids],
  );

const COLUMNS = 'workspace_id, id, company_id, headline_score, completed_at, created_at, doc';
const rowsOf = async (pool: pg.Pool) =>
  (await pool.query(`select ${COLUMNS} from audits order by workspace_id, id`)).rows;
const isInOrder = async (pool: pg.Pool) =>
  (
    await pool.query(
      `select array_agg(id order by id) = array_agg(id order by id_order) and count(distinct id_order) = count(*) as same
       from audits group by workspace_id`,
    )
  ).rows.every(({ same }) => same);

test('the new table has every audit, in order: those before the copy, which is reported, and what is written while it runs', async () => {
  const pool = await earlierDatabase();
  await insert(pool, 'w1', ['b', 'd', 'f', 'h']);
  await insert(pool, 'w2', ['b', 'd']);
  // A copy that was killed after two audits of the first workspace.
  await pool.query(`select copy_audits('w1', 2)`);
  await insert(pool, 'w1', ['a', 'c', 'e', 'i']);
  await pool.query(`update audits set doc = '{"changed":true}' where id in ('b', 'f')`);
  await pool.query(`delete from audits where workspace_id = 'w1' and id in ('d', 'h')`);
  const client = await pool.connect();
  const reported: unknown[] = [];
  await copyAudits(client, { info: (values: unknown) => void reported.push(values) });
  client.release();
  // Those after the ones that were copied, or written to both tables.
  expect(reported).toMatchObject([{ copied: 5 }]);
  await insert(pool, 'w1', ['dd', 'j']);
  await insert(pool, 'w2', ['a', 'c', 'z']);
  await pool.query(`update audits set headline_score = 9 where id = 'j'`);
  await pool.query(`delete from audits where id = 'z'`);
  const expected = await rowsOf(pool);
  expect(expected).toHaveLength(12);
  expect(await migrate(pool)).toMatchObject({ applied: files.slice(REPLACES).map(({ number }) => number) });
  expect(await rowsOf(pool)).toEqual(expected);
  expect(await isInOrder(pool)).toBe(true);
});

test('two nodes that copy at the same time copy each audit once', async () => {
  const pool = await earlierDatabase();
  const ids = Array.from({ length: 12_000 }, (_, n) => `a${String(n).padStart(6, '0')}`);
  await insert(pool, 'w1', ids);
  const expected = await rowsOf(pool);
  await Promise.all([migrate(pool), migrate(pool)]);
  expect(await rowsOf(pool)).toEqual(expected);
  expect(await isInOrder(pool)).toBe(true);
  const { rows } = await pool.query('select max(length(id_order)) as bytes from audits');
  expect(rows).toEqual([{ bytes: 5 }]);
});

test('a copy that is killed between two workspaces is continued by the next start', async () => {
  const pool = await earlierDatabase();
  await insert(pool, 'w1', ['b', 'a']);
  await insert(pool, 'w2', ['d', 'c']);
  const expected = await rowsOf(pool);
  const other = await pool.connect();
  await other.query('begin');
  await other.query(`select from workspace_clocks where workspace_id = 'w2' for update`);
  const killed = migrate(pool);
  const failure = expect(killed).rejects.toThrow(
    /work before migration 0022_.* The next start continues it\./,
  );
  const { rows } = await waitFor(async () => {
    const waiting = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(waiting.rows).toHaveLength(1);
    return waiting;
  });
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await failure;
  await other.query('rollback');
  other.release();
  const copied = await pool.query('select workspace_id, copied_to from copied_audits');
  expect(copied.rows).toEqual([{ workspace_id: 'w1', copied_to: '~' }]);
  await migrate(pool);
  expect(await rowsOf(pool)).toEqual(expected);
  expect(await isInOrder(pool)).toBe(true);
});

test('a disk that is full in the copy is named in the error; the next start continues', async () => {
  const pool = await earlierDatabase();
  await insert(pool, 'w1', ['a']);
  const expected = await rowsOf(pool);
  // The error of PostgreSQL, without a disk that is full.
  await pool.query(`create function fail() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file "base/5/16384": No space left on device' using errcode = 'disk_full'; end $$`);
  await pool.query('create trigger fail before insert on audits_next for each row execute function fail()');
  await expect(migrate(pool)).rejects.toThrow(/No space left on device\. The next start continues it\./);
  expect(await rowsOf(pool)).toEqual(expected);
  await pool.query('drop trigger fail on audits_next');
  await migrate(pool);
  expect(await rowsOf(pool)).toEqual(expected);
});

test('a company with audits cannot be deleted before, while and after its audits are copied', async () => {
  const pool = await earlierDatabase();
  await pool.query(`insert into companies (workspace_id, id, name, created_at, doc)
    select 'w1', id, id, now(), '{}' from unnest(array['c1', 'c2']) id`);
  await insert(pool, 'w1', ['a', 'b']);
  const remove = (id: string) =>
    pool.query(`delete from companies where workspace_id = 'w1' and id = $1`, [id]);
  await expect(remove('c1')).rejects.toThrow();
  await pool.query(`select copy_audits('w1', 1)`);
  await expect(remove('c1')).rejects.toThrow();
  expect((await remove('c2')).rowCount).toBe(1);
  await migrate(pool);
  await expect(remove('c1')).rejects.toThrow('the company c1 still has audits');
  await pool.query('delete from audits');
  expect((await remove('c1')).rowCount).toBe(1);
});

test('a start that finds the table replaced by another node continues', async () => {
  const pool = await earlierDatabase();
  await migrate(pool);
  const client = await pool.connect();
  await copyAudits(client);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  client.release();
});

test.each(['0017_companies_with_records.sql', '0022_audits_with_short_keys.sql'])(
  'nodes of 0.1.0 create audits while %s runs',
  async (name) => {
    const { pool } = await createTestDatabase({ template: false });
    const at = files.findIndex((file) => file.name === name);
    await migrate(pool, undefined, files.slice(0, at));
    await pool.query(`insert into workspaces (id, name) values ('w1', 'test')`);
    await pool.query(`insert into workspace_clocks (workspace_id) values ('w1')`);
    await pool.query(
      `insert into companies (workspace_id, id, name, created_at, doc) values ('w1', 'c1', '', now(), '{}')`,
    );
    let migrating: Promise<unknown> | undefined;
    await inTransaction(pool, async (client) => {
      await client.query(`select 1 from companies where workspace_id = 'w1' and id = 'c1'`);
      migrating = migrate(pool, undefined, files.slice(0, at + 1));
      await waitFor(async () => {
        const { rows } = await pool.query(
          `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        // It has not locked the audits yet.
        expect(rows).toEqual([{ query: expect.stringMatching(/^lock table companies, audits\b/) }]);
      });
      await client.query(
        `insert into audits (workspace_id, id, company_id, headline_score, completed_at, created_at, doc)
         values ('w1', 'a', 'c1', 7, now(), now(), '{"id":"a"}')`,
      );
    });
    expect(await migrating).toMatchObject({ applied: [at + 1] });
    expect(await rowsOf(pool)).toHaveLength(1);
  },
);
