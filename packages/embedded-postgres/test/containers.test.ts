import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONTAINER, CONTAINER_WITH_INIT, requireContainers } from './containers.fixture.ts';
import { type FixtureProcess, killFixtures, type Message, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';

const dataDir = await dataDirectory();
const logFile = join(dataDir, 'postgres.log');

/** Where the first service runs and where the second one starts. */
const PLACES = [
  { first: 'on the host', second: 'in a container', wrappers: [[], CONTAINER] },
  { first: 'in a container', second: 'on the host', wrappers: [CONTAINER, []] },
  { first: 'in a container', second: 'in another one', wrappers: [CONTAINER, CONTAINER] },
] as const;

async function query(url: string | undefined, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** How often PostgreSQL was started on this data, and how often it recovered. */
async function serverStarts(): Promise<{ starts: number; recoveries: number }> {
  const log = await readFile(logFile, 'utf8');
  return {
    starts: log.match(/starting PostgreSQL/g)?.length ?? 0,
    recoveries: log.match(/automatic recovery in progress/g)?.length ?? 0,
  };
}

/** Kills a service when it is ready. Its container and its PostgreSQL go on. */
async function killedService(): Promise<FixtureProcess> {
  const service = spawnFixture('service', dataDir, { wrapper: CONTAINER_WITH_INIT, killAt: 'user-joined' });
  await service.until(({ step }) => step === 'user-joined');
  return service;
}

function start(kind: 'service' | 'command', wrapper: readonly string[] = []): FixtureProcess {
  return spawnFixture(kind, dataDir, { wrapper, purpose: `svcd ${kind}` });
}

async function outcome(fixture: FixtureProcess): Promise<Message> {
  return fixture.outcome;
}

beforeEach(async ({ skip }) => {
  await requireContainers(skip);
  const maker = start('service');
  const { url } = await maker.outcome;
  await query(url, 'create table if not exists kept (id int generated always as identity)');
  await maker.stop();
});

afterEach(async () => {
  await killFixtures();
  await killServer(dataDir);
});

describe('a data directory in two containers', () => {
  test.each(PLACES)(
    'whose service runs $first refuses one $second, and its PostgreSQL notices nothing',
    async ({ wrappers }) => {
      const [first, second] = wrappers;
      const service = start('service', first);
      const { url, pid } = await outcome(service);
      const before = await serverStarts();
      expect(await outcome(start('service', second))).toMatchObject({
        refused: 'DataDirectoryInUseError',
        message: expect.stringMatching(/is in use by svcd service \(pid \d+\) in another container\./),
      });
      expect(await serverStarts()).toEqual(before);
      expect(await query(url, 'insert into kept default values returning id')).toHaveLength(1);
      await service.stop();
      expect(service.messages).toContainEqual({ stopped: true });
      const again = start('service', second);
      expect(await outcome(again)).toMatchObject({ ready: true, adopted: false });
      expect(pid).toBeGreaterThan(0);
      expect(await serverStarts()).toEqual({ ...before, starts: before.starts + 1 });
      await again.stop();
    },
  );

  test.each(PLACES)('whose service runs $first serves a command $second', async ({ wrappers }) => {
    const [first, second] = wrappers;
    const service = start('service', first);
    const { url } = await outcome(service);
    const command = start('command', second);
    expect(await outcome(command)).toMatchObject({ ready: true, adopted: true, url });
    await command.stop();
    expect(command.messages).toContainEqual({ stopped: true });
    expect(await query(url, 'select 1 as alive')).toEqual([{ alive: 1 }]);
  });

  test('is used by only one of several containers that start at the same time', async () => {
    const before = await serverStarts();
    const racers = [CONTAINER, CONTAINER, CONTAINER].map((wrapper) => start('service', wrapper));
    const outcomes = await Promise.all(racers.map(outcome));
    expect(outcomes.filter(({ ready }) => ready)).toHaveLength(1);
    const after = await serverStarts();
    expect(after.recoveries).toBe(before.recoveries);
  });
});

describe('a container that ends', () => {
  test('by kill -9 is replaced by one with the same process ids, which recovers every commit', async () => {
    const first = start('service', CONTAINER);
    const { url, pid } = await outcome(first);
    const [row] = await query(url, 'insert into kept default values returning id');
    await first.kill();
    const second = start('service', CONTAINER);
    const ready = await outcome(second);
    expect(ready).toMatchObject({ ready: true, adopted: false });
    // Both containers have nearly the same process ids, so postmaster.pid names some process of the second one.
    expect(Math.abs((ready.pid ?? 0) - (pid ?? 0))).toBeLessThan(50);
    expect(await query(ready.url, 'select max(id) as id from kept')).toEqual([row]);
    await second.stop();
  });
});

describe('a PostgreSQL that a killed service left in a container that goes on', () => {
  test('is not used by a service outside, which says what to do, and which recovers the data after the container ends', async () => {
    const left = await killedService();
    const { starts } = await serverStarts();
    expect(await outcome(start('service'))).toMatchObject({
      refused: 'EmbeddedError',
      message: expect.stringMatching(/runs in another container, .* end that container, .* then start again/),
    });
    expect((await serverStarts()).starts).toBe(starts);
    await left.kill();
    const next = start('service');
    expect(await outcome(next)).toMatchObject({ ready: true, adopted: false });
    await next.stop();
  });

  test('serves a command outside, which sends no signal to the process of the same id here', async () => {
    await killedService();
    const command = start('command', CONTAINER);
    const { url } = await outcome(command);
    await command.stop();
    expect(command.messages.at(-2)?.msg).toMatch(/^left PostgreSQL running: it runs in another container/);
    expect(await query(url, 'select 1 as alive')).toEqual([{ alive: 1 }]);
  });

  test('is not started a second time, even if it has no lock, as in older versions', async () => {
    await killedService();
    const { starts } = await serverStarts();
    await rename(join(dataDir, 'postgres.lock'), join(dataDir, 'postgres.lock.away'));
    expect(await outcome(start('service'))).toMatchObject({
      refused: 'EmbeddedError',
      message: expect.stringContaining('runs in another container'),
    });
    expect((await serverStarts()).starts).toBe(starts);
  });
});
