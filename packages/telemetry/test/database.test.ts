import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type DatabaseFigures, measureDatabase } from '../src/database.ts';

const FIGURES: DatabaseFigures = {
  databaseBytes: 7,
  endpoints: 1,
  failingEndpoints: 0,
  pendingDeliveries: 0,
  oldestPendingSeconds: 0,
  uncountedWorkspaces: 0,
};

/** A database of the test, which responds as the test says, and a clock. */
function measured() {
  const database = { ping: (): Promise<unknown> => Promise.resolve(), read: () => Promise.resolve(FIGURES) };
  const counts = { pings: 0, reads: 0 };
  const clock = { ms: 0 };
  const registry = new Registry();
  measureDatabase(registry, {
    ping: () => {
      counts.pings += 1;
      return database.ping();
    },
    read: () => {
      counts.reads += 1;
      return database.read();
    },
    nowMs: () => clock.ms,
  });
  const figure = async (name: string): Promise<string | undefined> =>
    new RegExp(`^${name} (.+)$`, 'm').exec(await registry.metrics())?.[1];
  return { database, counts, clock, figure };
}

test('the figures are read at most once a minute, whatever is scraped', async () => {
  const { counts, clock, figure } = measured();
  for (let i = 0; i < 10; i++) await figure('svc_database_up');
  expect(await figure('svc_database_size_bytes')).toBe('7');
  expect(counts.reads).toBe(1);
  clock.ms = 60_000;
  await figure('svc_database_up');
  expect(counts.reads).toBe(2);
});

test('a database that hangs delays a scrape by a second, gets one statement, and its old figures disappear', async () => {
  const { database, counts, clock, figure } = measured();
  expect(await figure('svc_database_up')).toBe('1');
  const before = counts.pings;
  const hang = Promise.withResolvers<never>();
  database.ping = () => hang.promise;
  database.read = () => hang.promise;
  clock.ms = 60_000;
  const startMs = performance.now();
  const answers = await Promise.all([figure('svc_database_up'), figure('svc_database_up')]);
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(answers).toEqual(['0', '0']);
  expect(await figure('svc_database_size_bytes')).toBe('7');
  expect(counts.pings).toBe(before + 1);
  clock.ms = 200_000;
  expect(await figure('svc_database_size_bytes')).toBeUndefined();
});

test('a database that refuses is down, and has no figures', async () => {
  const { database, clock, figure } = measured();
  expect(await figure('svc_database_up')).toBe('1');
  const away = (): Promise<never> => Promise.reject(new Error('away'));
  Object.assign(database, { ping: away, read: away });
  clock.ms = 60_000;
  expect(await figure('svc_database_up')).toBe('0');
  expect(await figure('svc_database_size_bytes')).toBeUndefined();
});
