import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startThrowawayServer } from '@svc/embedded-postgres/testing';
import { migrate } from '@svc/service/database/migrate';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { administer, databaseUrl } from '@svc/service/harness/postgres/template.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import pg from 'pg';
import { beforeAll, expect, inject, test } from 'vitest';
import { withScratchDatabase } from '../../src/backup/scratch-database.ts';
import { withPool } from '../../src/pool.ts';

// How svcd backup --verify works without the packaged PostgreSQL.

const WITHOUT_PACKAGED = `--import=${new URL('without-packaged.ts', import.meta.url).href}`;
/** Commands do not use it. */
const POOLER_THAT_IS_DOWN = 'postgres://svc@127.0.0.1:1/svc';

let server: { readonly pool: pg.Pool; readonly url: string };
beforeAll(async () => {
  server = await createTestDatabase({ template: false });
});

/** The scratch databases on the server. */
async function scratchNames(): Promise<readonly string[]> {
  const { rows } = await server.pool.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'svc\\_verify\\_%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function databaseAt(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    return rows[0]?.name ?? '';
  } finally {
    await client.end();
  }
}

const nameOf = (secondsAgo: number, end = '0123456789abcdef'): string =>
  `svc_verify_${Math.floor(Date.now() / 1_000) - secondsAgo}_${end}`;

test('the work gets another database of the same server, which is dropped after it, also if it fails', async () => {
  const before = await scratchNames();
  let name = '';
  const work = withScratchDatabase(server.url, undefined, async (url) => {
    name = await databaseAt(url);
    expect(await scratchNames()).toContain(name);
    throw new Error('the rows differ');
  });
  await expect(work).rejects.toThrow('the rows differ');
  expect(name).toMatch(/^svc_verify_\d+_[0-9a-f]{16}$/);
  expect(await scratchNames()).toEqual(before);
});

test('the service can create its tables there, in the schema of the source, also if the cluster has another encoding', async () => {
  const { binaries } = inject('databaseServer') ?? {};
  if (binaries === undefined) throw new Error('this file runs in the projects with a database server');
  const other = await startThrowawayServer(binaries, ['--encoding=SQL_ASCII', '--locale=C']);
  onFileEnd(other.stop);
  await administer(other.url, `create database app encoding 'UTF8' template template0`);
  const source = databaseUrl(other.url, 'app');
  await administer(source, 'create schema "App"');
  await withScratchDatabase(`${source}&options=-c%20search_path%3D%22App%22`, undefined, (url) =>
    withPool({ url, max: 1, name: 'test' }, async (pool) => {
      expect((await migrate(pool)).applied.length).toBeGreaterThan(0);
      const { rows } = await pool.query(`select schemaname from pg_tables where tablename = 'audits'`);
      expect(rows).toEqual([{ schemaname: 'App' }]);
    }),
  );
});

test('a database that a killed verification has left is dropped by the next one; others stay', async () => {
  const [left, young, used] = [nameOf(3_600), nameOf(0), nameOf(7_200, 'fedcba9876543210')];
  const foreign = `svc_verify_of_${process.pid}`;
  for (const name of [left, young, used, foreign]) await server.pool.query(`create database ${name}`);
  const url = server.url.replace(`/${await databaseAt(server.url)}`, `/${used}`);
  const user = new pg.Client({ connectionString: url });
  await user.connect();
  await withScratchDatabase(server.url, undefined, () => Promise.resolve());
  expect(await scratchNames()).toEqual([used, young, foreign].sort());
  await user.end();
  for (const name of [young, used, foreign]) await server.pool.query(`drop database ${name} with (force)`);
});

test('without the packaged PostgreSQL, svcd backup --verify uses the direct URL of a database behind a pooler', async () => {
  const { url } = await createTestDatabase();
  const file = join(await temporaryDirectory(), 'svc.backup');
  const backup = await runSvcd(['backup', file, '--verify'], {
    env: {
      SVC_DATABASE_URL: POOLER_THAT_IS_DOWN,
      SVC_DATABASE_POOLER: 'transaction',
      SVC_DATABASE_DIRECT_URL: url,
      SVC_SECRET: randomBytes(32).toString('base64url'),
      NODE_OPTIONS: WITHOUT_PACKAGED,
    },
  });
  expect([backup.code, backup.stderr]).toEqual([0, expect.stringContaining(' Verified.')]);
});

test('a signal ends the work, and the database is dropped', async () => {
  const before = await scratchNames();
  const aborter = new AbortController();
  const work = withScratchDatabase(server.url, aborter.signal, async (url) => {
    const client = new pg.Client({ connectionString: url });
    // Its query reports the same.
    client.on('error', () => undefined);
    await client.connect();
    const waiting = client.query('select pg_sleep(3600)');
    aborter.abort();
    await waiting;
  });
  await expect(work).rejects.toThrow(/terminat/);
  expect(await scratchNames()).toEqual(before);
});
