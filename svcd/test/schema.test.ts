import { randomBytes } from 'node:crypto';
import { readMigrationFiles } from '@svc/service/database/migrate';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { describe, expect, test } from 'vitest';

const READERS: readonly (readonly [string, ...string[]])[] = [
  ['export', 'audits', '--format', 'csv', '--workspace', 'wks_none'],
  ['import', 'audits', '-', '--format', 'csv', '--workspace', 'wks_none', '--dry-run'],
  ['verify'],
  ['verify', '--repair'],
];
const newSecret = (): string => randomBytes(32).toString('base64url');
const files = await readMigrationFiles();
const last = files.at(-1);

/** A database whose last migration is missing, or that has one more than this program. */
async function databaseOf(age: 'older' | 'newer') {
  const { pool, url } = await createTestDatabase();
  if (age === 'older') await pool.query('delete from schema_migrations where number = $1', [last?.number]);
  else {
    await pool.query(
      `insert into schema_migrations (number, name, sha256) values ($1, '9999_later.sql', 'x')`,
      [files.length + 1],
    );
  }
  const history = async () =>
    (await pool.query('select number, name from schema_migrations order by number')).rows;
  const tables = async () =>
    (await pool.query(`select relname from pg_class where relnamespace = 'public'::regnamespace order by 1`))
      .rows;
  const env = { SVC_DATABASE_URL: url, SVC_SECRET: newSecret() };
  return { env, state: async () => ({ history: await history(), tables: await tables() }) };
}

const cases = [
  {
    age: 'older',
    refusal: /older than this program: it has \d+ of \d+ migrations/,
    finding: /migrations? to apply/,
  },
  {
    age: 'newer',
    refusal: /newer than this program: it has migration 9999_later\.sql/,
    finding: /does not have migration 9999_later\.sql/,
  },
] as const;

describe.each(cases)('a database with a schema that is $age', ({ age, refusal, finding }) => {
  test.each(READERS)('is refused and not changed by svcd %s', async (command, ...flags) => {
    const { env, state } = await databaseOf(age);
    const before = await state();
    const { code, stdout, stderr } = await runSvcd([command, ...flags], { env });
    expect(await state()).toEqual(before);
    expect(code).toBe(command === 'export' ? 1 : 2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(refusal);
  });

  test('is reported and not changed by svcd doctor', async () => {
    const { env, state } = await databaseOf(age);
    const before = await state();
    const { stdout } = await runSvcd(['doctor'], { env });
    expect(await state()).toEqual(before);
    expect(stdout).toMatch(finding);
  });
});

describe('svcd migrate', () => {
  test('applies the migrations that are missing', async () => {
    const { pool, url } = await createTestDatabase({ template: false });
    const env = { SVC_DATABASE_URL: url, SVC_SECRET: newSecret() };
    expect(await runSvcd(['migrate'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The database has all migrations of this release.'),
    });
    const { rows } = await pool.query('select max(number) as last from schema_migrations');
    expect(rows).toEqual([{ last: last?.number }]);
  });

  test('distributes no tables without a cluster', async () => {
    const { url } = await createTestDatabase();
    const { code, stdout, stderr } = await runSvcd(['migrate', '--distribute'], {
      env: { SVC_DATABASE_URL: url, SVC_SECRET: newSecret() },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('plain PostgreSQL without the extension citus');
  });
});
