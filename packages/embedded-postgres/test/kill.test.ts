import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { layoutOf } from '../src/directory/data-directory.ts';
import { tryLock } from '../src/directory/lock.ts';
import { START_STEPS } from '../src/log.ts';
import { findPostmaster } from '../src/server/postmaster.ts';
import { killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { waitFor } from './support/wait-for.ts';

/** The steps of a start over an existing cluster. */
const LATER_STEPS = START_STEPS.filter((step) => !/^(password|cluster)-/.test(step));

/** The first file that initdb writes. */
const BEGUN = /^postgres\.new-.*\/PG_VERSION$/;

afterEach(killFixtures);

/** Commits a row, in a new table if there is none, and returns the number of rows. */
async function commitRow(url: string | undefined): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table if not exists kept (id int generated always as identity)');
    await client.query('insert into kept default values');
    return (await client.query<{ count: number }>('select count(*)::int as count from kept')).rows[0]
      ?.count as number;
  } finally {
    await client.end();
  }
}

/** Whether the lock is free. */
async function isFree(dataDir: string): Promise<boolean> {
  const lock = await tryLock(layoutOf(dataDir), 'a test');
  await lock?.release();
  return lock !== undefined;
}

test.each(START_STEPS)('a service killed at the step %s of its first start starts again', async (step) => {
  const dataDir = await dataDirectory(await temporaryDirectory());
  const killed = spawnFixture('service', dataDir, { killAt: step });
  expect(await killed.ended).toBe('SIGKILL');
  expect(killed.messages.at(-1)).toMatchObject({ step });
  const next = spawnFixture('service', dataDir);
  const { ready, url } = await next.outcome;
  expect(ready).toBe(true);
  expect(await commitRow(url)).toBe(1);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
  await next.stop();
  expect(next.messages).toContainEqual({ stopped: true });
});

test('a service killed while its programs create the database starts again when the programs have ended', async () => {
  const dataDir = await dataDirectory(await temporaryDirectory());
  const killed = spawnFixture('service', dataDir);
  await waitFor(
    async () =>
      expect(await readdir(dataDir, { recursive: true })).toContainEqual(expect.stringMatching(BEGUN)),
    { timeout: 30_000, interval: 5 },
  );
  await killed.kill();
  expect(killed.messages.map(({ step }) => step)).not.toContain('cluster-complete');
  // The programs have lost their parent, and still hold the lock.
  expect(await isFree(dataDir)).toBe(false);
  const next = spawnFixture('service', dataDir);
  expect(await next.outcome).toMatchObject({ ready: true, adopted: false });
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
  await next.stop();
});

describe('over the data of a PostgreSQL that was killed', async () => {
  const dataDir = await dataDirectory(await temporaryDirectory());
  let rows = 0;

  beforeAll(async () => {
    const maker = spawnFixture('service', dataDir);
    rows = await commitRow((await maker.outcome).url);
    await maker.kill();
    await killServer(dataDir, 'SIGKILL');
  });

  test.each(LATER_STEPS)('a service killed at the step %s starts again, with every commit', async (step) => {
    const killed = spawnFixture('service', dataDir, { killAt: step });
    expect(await killed.ended).toBe('SIGKILL');
    const next = spawnFixture('service', dataDir);
    rows += 1;
    expect(await commitRow((await next.outcome).url)).toBe(rows);
    await next.kill();
    await killServer(dataDir, 'SIGKILL');
  });
});

test('the lock lives as long as PostgreSQL does, not as long as the service', async () => {
  const dataDir = await dataDirectory(await temporaryDirectory());
  const service = spawnFixture('service', dataDir);
  await service.outcome;
  expect(await isFree(dataDir)).toBe(false);
  await service.kill();
  expect(await isFree(dataDir)).toBe(false);
  expect(await findPostmaster(join(dataDir, 'postgres'))).toMatchObject({ kind: 'running' });
  await killServer(dataDir, 'SIGKILL');
  // PostgreSQL's last session ends a moment after PostgreSQL.
  await waitFor(async () => expect(await isFree(dataDir)).toBe(true));
});
