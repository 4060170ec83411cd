import pg from 'pg';
import { expect, test } from 'vitest';
import { readMigrationFiles } from '../src/database/migrate.ts';
import { createTestDatabase } from './harness/database.ts';

test('every test database has the whole schema and no data of another one', async () => {
  const [first, second] = [await createTestDatabase(), await createTestDatabase()];
  await first.pool.query('create table mine (id int)');
  const { rows } = await second.pool.query(
    `select to_regclass('mine') as mine, (select count(*)::int from schema_migrations) as migrations`,
  );
  expect(rows).toEqual([{ mine: null, migrations: (await readMigrationFiles()).length }]);
});

test('a test database without the template is empty', async () => {
  const { pool } = await createTestDatabase({ template: false });
  expect((await pool.query(`select to_regclass('schema_migrations') as history`)).rows).toEqual([
    { history: null },
  ]);
});

test('a connection that is left open fails the drop, by its name and its last statement', async () => {
  const { url, drop } = await createTestDatabase();
  const leaked = new pg.Client({ connectionString: url, application_name: 'the leak' });
  leaked.on('error', () => undefined);
  await leaked.connect();
  await leaked.query('select 42');
  await expect(drop()).rejects.toThrow(/were left open: the leak idle: select 42/);
});

test('a client that is not released to the pool fails the drop', async () => {
  const { pool, drop } = await createTestDatabase();
  const client = await pool.connect();
  client.on('error', () => undefined);
  await expect(drop()).rejects.toThrow(/were left open/);
});
