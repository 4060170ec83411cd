import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { MigrationError, type MigrationFile, migrate, readMigrationFiles } from './migrate.ts';
import { createPool } from './pool.ts';

const RACING_NODES = 20;
const RACING_PROCESSES = 4;

function migration(number: number, sql: string, sha256 = `sha256 of ${sql}`): MigrationFile {
  return { number, name: `000${number}_test.sql`, sql, sha256 };
}

async function emptyDatabase(): Promise<{ pool: pg.Pool; url: string }> {
  return createTestDatabase({ template: false });
}

const nameOf = (url: string): string => /\/(test_\w+)/.exec(url)?.[1] ?? '';

async function withPool(url: string, work: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const pool = createPool({ url, max: 1, name: 'test of migrations', onError: () => undefined });
  await work(pool).finally(() => pool.end());
}

describe('migrate', () => {
  test('applies every file of the migrations folder in order, and nothing when it is repeated', async () => {
    const { pool } = await emptyDatabase();
    const files = await readMigrationFiles();
    const numbers = files.map((file) => file.number);
    expect(await migrate(pool)).toEqual({ applied: numbers, version: files.length });
    expect(await migrate(pool)).toEqual({ applied: [], version: files.length });
    const { rows } = await pool.query('select number, name, sha256 from schema_migrations order by number');
    expect(rows).toEqual(files.map(({ number, name, sha256 }) => ({ number, name, sha256 })));
  });

  test('applies each migration once when 20 nodes start at the same instant', async () => {
    const { pool, url } = await emptyDatabase();
    const files = await readMigrationFiles();
    const pools = Array.from({ length: RACING_NODES }, () => new pg.Pool({ connectionString: url, max: 1 }));
    try {
      // Connected beforehand, so that they race for the migrations and not for the connection.
      await Promise.all(pools.map((each) => each.query('select 1')));
      const results = await Promise.all(pools.map((each) => migrate(each)));
      const applied = results.flatMap((result) => result.applied);
      expect(applied.toSorted((a, b) => a - b)).toEqual(files.map((file) => file.number));
      expect(results.every((result) => result.version === files.length)).toBe(true);
    } finally {
      await Promise.all(pools.map((each) => each.end()));
    }
    const { rows } = await pool.query('select count(*)::int as migrations from schema_migrations');
    expect(rows).toEqual([{ migrations: files.length }]);
  });

  test('applies each migration once when processes race', async () => {
    const { url } = await emptyDatabase();
    const files = await readMigrationFiles();
    const fixture = fileURLToPath(new URL('./migrate.fixture.ts', import.meta.url));
    const outputs = await Promise.all(
      Array.from({ length: RACING_PROCESSES }, () => promisify(execFile)(process.execPath, [fixture, url])),
    );
    const applied = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(applied.toSorted((a, b) => a - b)).toEqual(files.map((file) => file.number));
  });

  test('continues after the last migration of another program version', async () => {
    const { pool } = await emptyDatabase();
    const first = migration(1, 'create table one (id int)');
    const second = migration(2, 'create table two (id int)');
    expect(await migrate(pool, undefined, [first])).toEqual({ applied: [1], version: 1 });
    expect(await migrate(pool, undefined, [first, second])).toEqual({ applied: [2], version: 2 });
  });

  test('rolls back a migration that fails, names its file and line, and can be repeated', async () => {
    const { pool } = await emptyDatabase();
    const good = migration(1, 'create table one (id int)');
    const bad = migration(2, 'create table two (id int);\nselect nonsense;\n');
    const failure = migrate(pool, undefined, [good, bad]);
    await expect(failure).rejects.toThrow(MigrationError);
    await expect(failure).rejects.toThrow(/0002_test\.sql line 2 failed: column "nonsense" does not exist/);
    const { rows } = await pool.query(`select to_regclass('one') as one, to_regclass('two') as two`);
    expect(rows).toEqual([{ one: 'one', two: null }]);
    expect(await migrate(pool, undefined, [good, migration(2, 'create table two (id int)')])).toEqual({
      applied: [2],
      version: 2,
    });
  });

  test('applies both parts of a migration that is divided for a cluster, and names the line in the second', async () => {
    const { pool } = await emptyDatabase();
    const divided = (end: string) =>
      migration(1, `create table one (id int primary key);\n-- distribute\n${end};\n`);
    await expect(migrate(pool, undefined, [divided('\nselect nonsense')])).rejects.toThrow(
      '0001_test.sql line 4 failed: column "nonsense" does not exist',
    );
    expect((await pool.query(`select to_regclass('one') as one`)).rows).toEqual([{ one: null }]);
    await migrate(pool, undefined, [divided('create table two (id int references one)')]);
    await expect(pool.query('insert into two values (1)')).rejects.toThrow('violates foreign key constraint');
  });

  test('refuses a database that is newer than the program', async () => {
    const { pool } = await emptyDatabase();
    const known = migration(1, 'create table one (id int)');
    await migrate(pool, undefined, [known, migration(2, 'create table two (id int)')]);
    await expect(migrate(pool, undefined, [known])).rejects.toThrow(
      'the database is newer than this program: it has migration 0002_test.sql, this program knows 1 (up to 0001_test.sql)',
    );
  });

  test('refuses a migration that was edited after it had been applied', async () => {
    const { pool } = await emptyDatabase();
    await migrate(pool, undefined, [migration(1, 'create table one (id int)')]);
    await expect(migrate(pool, undefined, [migration(1, 'create table one (id bigint)')])).rejects.toThrow(
      /0001_test\.sql is not the one that the database has .* never edited/,
    );
  });

  test.each([
    [
      'revoke create on schema public from pg_database_owner',
      /may not create tables in the schema public.*: grant/,
    ],
    [
      'revoke create on database DATABASE from current_user',
      /may not create schemas in the database test_.*: grant/,
    ],
    ['alter database DATABASE set search_path = nowhere', /can use none of its search_path \(nowhere\)/],
  ])('names what is missing if migrations are pending: %s', async (statement, message) => {
    const { pool, url } = await emptyDatabase();
    const first = migration(1, 'create table one (id int)');
    await migrate(pool, undefined, [first]);
    await pool.query(statement.replace('DATABASE', nameOf(url)));
    await withPool(url, async (later) => {
      const second = migration(2, 'create table two (id int)');
      await expect(migrate(later, undefined, [first, second])).rejects.toThrow(message);
    });
  });

  test('refuses a database in another encoding than UTF-8, with the statement that creates one', async () => {
    const { pool, url } = await emptyDatabase();
    const name = `${nameOf(url)}_latin`;
    await pool.query(
      `create database ${name} encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
    );
    try {
      await withPool(url.replace(nameOf(url), name), (latin) =>
        expect(migrate(latin)).rejects.toThrow(
          "the encoding of the database is LATIN1, which the service cannot use: create another one with: create database svc encoding 'UTF8' template template0",
        ),
      );
    } finally {
      await pool.query(`drop database ${name}`);
    }
  });

  test('works if a database has standard_conforming_strings off', async () => {
    const { pool, url } = await emptyDatabase();
    await pool.query(`alter database ${nameOf(url)} set standard_conforming_strings = off`);
    const { length } = await readMigrationFiles();
    await withPool(url, async (later) => expect(await migrate(later)).toMatchObject({ version: length }));
  });

  test.each([
    [2, 3],
    [1_000, 10],
  ])(
    'after %i deadlocks with other transactions, a migration was tried %i times',
    async (deadlocks, tries) => {
      const { pool } = await emptyDatabase();
      // A sequence keeps its value when a transaction is rolled back.
      await pool.query('create sequence tries');
      const sql = `create table one (id int); do $$ begin
      if nextval('tries') <= ${deadlocks} then raise 'deadlock' using errcode = 'deadlock_detected'; end if; end $$`;
      const result = migrate(pool, undefined, [migration(1, sql)]);
      if (tries > deadlocks) expect(await result).toEqual({ applied: [1], version: 1 });
      else await expect(result).rejects.toThrow(/0001_test\.sql failed: deadlock/);
      const { rows } = await pool.query('select last_value::int as tries from tries');
      expect(rows).toEqual([{ tries }]);
    },
  );

  test('ignores the time limits of the pool', async () => {
    const { url } = await emptyDatabase();
    const pool = new pg.Pool({ connectionString: url, max: 1, statement_timeout: 50, lock_timeout: 50 });
    try {
      expect(await migrate(pool, undefined, [migration(1, 'select pg_sleep(0.2)')])).toEqual({
        applied: [1],
        version: 1,
      });
    } finally {
      await pool.end();
    }
  });
});

describe('readMigrationFiles', () => {
  test('refuses a missing number, a repeated number and a name without a number', async () => {
    for (const names of [['0002_b.sql'], ['0001_a.sql', '0001_b.sql'], ['first.sql']]) {
      const directory = await temporaryDirectory();
      for (const name of names) await writeFile(join(directory, name), 'select 1');
      await expect(readMigrationFiles(directory)).rejects.toThrow(/should be number 000\d/);
    }
  });
});
