import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const LONG = join('deep'.repeat(12), 'deeper'.repeat(8));

afterEach(killFixtures);

async function tables(url: string | undefined): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const sql = `select tablename from pg_tables where schemaname = 'public' order by 1`;
    return (await client.query<{ tablename: string }>(sql)).rows.map((row) => row.tablename);
  } finally {
    await client.end();
  }
}

async function execute(url: string | undefined, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe.each([
  { socket: 'in the data directory', below: '' },
  { socket: 'in the directory for temporary files, named in the copied postmaster.pid', below: LONG },
])('a copy of a data directory whose socket is $socket', ({ below }) => {
  test('that is made while the original runs starts a PostgreSQL of its own, and the original goes on', async () => {
    const parent = join(await temporaryDirectory(), below);
    await mkdir(parent, { recursive: true });
    const original = await dataDirectory(parent);
    const service = spawnFixture('service', original);
    const { url, pid } = await service.outcome;
    await execute(url, 'create table before_the_copy ()');
    const copy = await dataDirectory(join(parent, 'copy'));
    await mkdir(join(parent, 'copy'));
    await promisify(execFile)('cp', ['-a', original, copy]);
    const second = spawnFixture('service', copy);
    const copied = await second.outcome;
    expect(copied).toMatchObject({ ready: true, adopted: false });
    expect(copied.pid).not.toBe(pid);
    await execute(copied.url, 'create table in_the_copy ()');
    await execute(url, 'create table in_the_original ()');
    expect(await tables(copied.url)).toEqual(['before_the_copy', 'in_the_copy']);
    expect(await tables(url)).toEqual(['before_the_copy', 'in_the_original']);
    await second.stop();
    expect(await tables(url)).toEqual(['before_the_copy', 'in_the_original']);
    await service.stop();
  });

  test('that a crash left with a postmaster.pid starts while the original runs again', async () => {
    const parent = join(await temporaryDirectory(), below);
    await mkdir(parent, { recursive: true });
    const original = await dataDirectory(parent);
    const crashed = spawnFixture('service', original);
    await crashed.outcome;
    await crashed.kill();
    await killServer(original, 'SIGKILL');
    const copy = await dataDirectory(join(parent, 'copy'));
    await mkdir(join(parent, 'copy'));
    await promisify(execFile)('cp', ['-a', original, copy]);
    const service = spawnFixture('service', original);
    const { pid } = await service.outcome;
    const second = spawnFixture('service', copy);
    const outcome = await second.outcome;
    expect(outcome).toMatchObject({ ready: true, adopted: false });
    expect(outcome.pid).not.toBe(pid);
    await Promise.all([second.stop(), service.stop()]);
  });
});
