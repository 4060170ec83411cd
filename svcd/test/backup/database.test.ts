import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { packagedBinaries, startThrowawayServer } from '@svc/embedded-postgres/testing';
import { restoreDeletedWorkspace } from '@svc/service/dashboard/workspace/operator';
import { migrate } from '@svc/service/database/migrate';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { findingsOf } from '@svc/service/harness/verify.ts';
import { createWorld, type World } from '@svc/service/harness/world.ts';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/backup/database.ts';

/** The rows of a part begin with it. */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
let world: World;
let backup: Buffer;

beforeAll(async () => {
  world = await createWorld();
  const { service, workspaceId } = world;
  const live = await service.token(workspaceId, { access: 'write' });
  const created = await service.request(live, '/v1/companies', {
    method: 'POST',
    headers: { 'idempotency-key': 'once' },
    payload: { id: 'com_text', name: 'tab\t, line\n, back\\slash \\N, "quotes", Ünïcödé 🎉' },
  });
  expect(created.status).toBe(201);
  // Another month, so that the restore must create a partition.
  await service.pool.query(`create table audit_log_2019_02 (like audit_log including all)`);
  await service.pool.query(
    `alter table audit_log attach partition audit_log_2019_02 for values from ('2019-02-01') to ('2019-03-01')`,
  );
  await service.pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, doc)
     values ($1, 'evt_old', '2019-02-03T04:05:06.789012Z', 'workspace.created', '{}')`,
    [workspaceId],
  );
  // Nothing changes the database any more.
  await service.app.close();
  // The seed writes no feed.
  await findingsOf(service.pool, true);
  backup = await backedUp(service.database.url);
});

async function backedUp(url: string): Promise<Buffer> {
  const output = new PassThrough();
  const [bytes] = await Promise.all([buffer(output), backupDatabase(url, output).then(() => output.end())]);
  return bytes;
}

const inPieces = (bytes: Buffer, size = 10_000): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
  );

const restored = (bytes: Buffer, url: string, expirePositions = false) =>
  restoreDatabase(inPieces(bytes), url, { expirePositions });

/** All rows of all tables, as text. */
async function contentsOf(pool: Pick<pg.Pool, 'query'>): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
     and not relispartition order by 1`,
  );
  const contents = new Map<string, readonly string[]>();
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    contents.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return contents;
}

async function emptyDatabase(): Promise<{ readonly pool: pg.Pool; readonly url: string }> {
  return createTestDatabase({ template: false });
}

test('an audit log without partitions, as after a first start that was ended, is backed up and restored', async () => {
  const started = await emptyDatabase();
  await migrate(started.pool);
  const bytes = await backedUp(started.url);
  const { pool, url } = await emptyDatabase();
  await restored(bytes, url);
  expect((await pool.query('select from schema_migrations')).rowCount).toBeGreaterThan(0);
});

test('a database in which the role may not create tables is refused, naming the right', async () => {
  const { pool, url } = await emptyDatabase();
  await pool.query('revoke create on schema public from pg_database_owner');
  await expect(restored(backup, url)).rejects.toThrow(/grant create on schema public to svc/);
});

test('a restored database has the same rows in all tables, and svcd verify finds no differences', async () => {
  const { pool, url } = await emptyDatabase();
  const report = await restored(backup, url);
  const [before, after] = [await contentsOf(world.service.pool), await contentsOf(pool)];
  expect(after).toEqual(before);
  expect(report.rows).toBe([...before.values()].reduce((sum, rows) => sum + rows.length, 0));
  expect(report.unknown).toEqual([]);
  expect(await findingsOf(pool)).toEqual([]);
  const { rows } = await pool.query(
    `select tgrelid::regclass::text, tgname from pg_trigger where tgenabled <> 'O'
     union all select relname, 'not analyzed' from pg_class where relname = 'audits' and reltuples < 0`,
  );
  expect(rows).toEqual([]);
});

test('a backup of one major version of PostgreSQL is restored into another, and back', async () => {
  const other = await startThrowawayServer(await packagedBinaries());
  onFileEnd(other.stop);
  await restored(backup, other.url);
  const again = await backedUp(other.url);
  const { pool, url } = await emptyDatabase();
  await restored(again, url);
  expect(await contentsOf(pool)).toEqual(await contentsOf(world.service.pool));
});

test('a restore makes the positions of all workspaces expire if it is told so', async () => {
  const { pool, url } = await emptyDatabase();
  await restored(backup, url, true);
  const { rows } = await pool.query<{ readers: number; expired: number }>(
    `select count(*)::int as readers, count(*) filter (where complete_after >= old.last_at)::int as expired
     from workspace_clocks c left join feed_starts f using (workspace_id)
     cross join lateral (select c.last_at) old`,
  );
  expect(rows[0]?.readers).toBeGreaterThan(1);
  expect(rows[0]?.expired).toBe(rows[0]?.readers);
  expect(await findingsOf(pool)).toEqual([]);
});

test('a deleted workspace has seven days again after a restore, unless the backup has only a part of its data', async () => {
  const { workspaceId, neighbourId } = world;
  const deleted = '2026-03-01 09:30:00.123456+00';
  const deletions = async (pool: pg.Pool) =>
    new Map(
      (await pool.query('select id, deleted_at::text as at from workspaces')).rows.map(({ id, at }) => [
        id,
        at,
      ]),
    );
  const source = await emptyDatabase();
  await restored(backup, source.url);
  await source.pool.query('update workspaces set deleted_at = $1', [deleted]);
  await source.pool.query(`insert into workspaces (id, name) values ('wks_kept', 'Kept')`);
  // As if the job had begun to remove its data.
  await source.pool.query('delete from workspace_clocks where workspace_id = $1', [neighbourId]);
  const bytes = await backedUp(source.url);

  const { pool, url } = await emptyDatabase();
  await restored(bytes, url, true);
  const after = await deletions(pool);
  expect([after.get('wks_kept'), after.get(neighbourId)]).toEqual([null, deleted]);
  await restoreDeletedWorkspace(pool, workspaceId);
  expect((await deletions(pool)).get(workspaceId)).toBeNull();
  await expect(restoreDeletedWorkspace(pool, neighbourId)).rejects.toThrow('can no longer be restored');

  const copy = await emptyDatabase();
  await restored(bytes, copy.url);
  expect((await deletions(copy.pool)).get(workspaceId)).toBe(deleted);
});

test.each([
  ['is truncated', () => backup.subarray(0, backup.length - 20), 'not complete'],
  ['is truncated between two parts', () => backup.subarray(0, -endBytes()), 'not complete'],
  ['has a flipped byte', () => flipped(backup, backup.lastIndexOf(ZSTD_MAGIC)), 'damaged at byte'],
  ['is no backup', () => Buffer.from('{"id":"com_1"}\n'.repeat(10)), 'no backup'],
])('a backup that %s is refused, and the database stays empty', async (_, bytes, message) => {
  const { pool, url } = await emptyDatabase();
  await expect(restored(bytes(), url)).rejects.toThrow(message);
  expect(await contentsOf(pool)).toEqual(new Map());
  // So it can be used at once.
  await restored(backup, url);
});

/** The length of the last part of the backup. */
const endBytes = (): number => backup.length - backup.lastIndexOf('Z\0\0\0');

function flipped(bytes: Buffer, at: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ 0x10;
  return damaged;
}

test('a database with tables is refused, and keeps them', async () => {
  const { pool, url } = await emptyDatabase();
  await pool.query('create table precious (id int)');
  await expect(restored(backup, url)).rejects.toThrow(
    'the database is not empty: it has 1 tables (precious)',
  );
  expect([...(await contentsOf(pool)).keys()]).toEqual(['precious']);
});

test('a table that is not of the service is part of the backup, and the restore leaves it out and says so', async () => {
  const source = await emptyDatabase();
  await restored(backup, source.url);
  await source.pool.query(`create table notes_of_the_operator as select 'kept' as text`);
  await source.pool.query(
    'create table notes_with_ids (id bigserial, other int generated always as identity)',
  );
  const { pool, url } = await emptyDatabase();
  const report = await restored(await backedUp(source.url), url);
  expect(report.unknown).toEqual(['notes_of_the_operator', 'notes_with_ids']);
  expect(await contentsOf(pool)).toEqual(await contentsOf(world.service.pool));
});

test('a sequence of an extension prevents neither a restore nor a backup', async () => {
  const { pool, url } = await emptyDatabase();
  await pool.query(
    'create extension citext; create sequence of_citext; alter extension citext add sequence of_citext',
  );
  await restored(backup, url);
  expect(await backedUp(url)).not.toHaveLength(0);
});

test('no table of the service has a sequence, whose value a backup would lose', async () => {
  const { rows } = await world.service.pool.query(
    `select relname from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace`,
  );
  expect(rows).toEqual([]);
});

test('a sequence of its own cannot be backed up, and the message names it', async () => {
  const source = await emptyDatabase();
  await restored(backup, source.url);
  await source.pool.query('create sequence of_the_operator');
  await expect(backedUp(source.url)).rejects.toThrow('the sequence of_the_operator cannot be copied');
});

test('a database without the tables of the service cannot be backed up', async () => {
  const { pool, url } = await emptyDatabase();
  await expect(backupDatabase(url, new PassThrough())).rejects.toThrow('the database has no tables');
  await pool.query('create table precious (id int)');
  await expect(backupDatabase(url, new PassThrough().resume())).rejects.toThrow('no tables of this program');
});

test('a backup whose output fails ends with that error', async () => {
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) =>
      setImmediate(done, chunk.length > 100 ? new Error('the disk is full') : null),
  });
  await expect(backupDatabase(world.service.database.url, output)).rejects.toThrow('the disk is full');
});
