import cluster, { type Worker } from 'node:cluster';
import { waitFor } from '@svc/embedded-postgres/testing';
import { createLimiter } from '@svc/rate-limiter';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/config/time.ts';
import type { ServiceSettings } from '../../src/server/calls.ts';
import { freePort } from '../../src/server/listen.ts';
import type { Serving } from '../../src/server/serve.ts';
import { openSignalHub } from '../../src/server/signal-hub.ts';
import { forkWorkers } from '../../src/server/workers.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { elapsed, startProxy } from '../harness/postgres/proxy.ts';
import { bearer } from '../harness/running-service.ts';
import { createTestService } from '../harness/service.ts';

/** How the primary of several workers ends its connections for audit entries, however the workers end. */

/** Shorter than a pool keeps a connection that is not used. */
const CLOSED_SOON = { timeout: 5_000, interval: 50 } as const;
const HOST = '127.0.0.1';
/** Less than the 10 s after which the database ends the transaction of the second connection, whose client is silent. */
const CUT_WITHIN_MS = 8_000;
const SECRET = 'x'.repeat(32);

const { pool, database, workspace, token } = await createTestService({ secrets: [SECRET] });
const [, name = '', directory = ''] = /@\/(\w+)\?host=(.*)$/.exec(database.url) ?? [];
const proxy = await startProxy(`${decodeURIComponent(directory)}/.s.PGSQL.5432`);
onFileEnd(proxy.close);
const hub = openSignalHub({ databaseUrl: database.url, log: pino({ level: 'silent' }) });
onFileEnd(hub.close);
const workspaceId = await workspace();
const key = await token(workspaceId);

/** Two workers, which `run` starts on a free port. */
async function prepare() {
  const before = new Set(Object.values(cluster.workers ?? {}));
  const workers = forkWorkers(2, { log: pino({ level: 'silent' }), limiter: createLimiter(systemClock) });
  onFileEnd(async () => workers.kill());
  const forked = Object.values(cluster.workers ?? {}).filter(
    (worker): worker is Worker => worker !== undefined && !before.has(worker),
  );
  const port = await freePort(HOST);
  const config = readConfig({ SVC_DATABASE_URL: database.url, SVC_SECRET: SECRET, SVC_WORKERS: '2' });
  const settings: ServiceSettings = {
    ...config,
    port,
    databaseUrl: database.url.replace(/@\/.*$/, `@${HOST}:${proxy.port}/${name}`),
    secrets: [SECRET],
    logLevel: 'silent',
    logFd: 1,
  };
  const ask = async (): Promise<number> => {
    const headers = { ...bearer(key), connection: 'close' };
    return (await fetch(`http://${HOST}:${port}/v1/companies`, { headers })).status;
  };
  return { forked, ask, run: (): Promise<Serving> => workers.run(settings, hub) };
}

/** The connections of the primary for audit entries. */
async function connections(): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'svcd entries'`,
  );
  return rowCount ?? 0;
}

/** Whether the second of these connections waits for a lock. */
async function secondWaits(): Promise<boolean> {
  const { rows } = await pool.query<{ event: string | null }>(
    `select wait_event_type as event from pg_stat_activity
     where datname = current_database() and application_name = 'svcd entries' order by backend_start offset 1`,
  );
  return rows[0]?.event === 'Lock';
}

test('a channel to a worker that breaks during the shutdown leaves no connection open', async () => {
  const { forked, ask, run } = await prepare();
  const serving = await run();
  expect(await ask()).toBe(200);
  expect(await connections()).toBeGreaterThan(0);
  const closed = serving.close();
  forked[0]?.emit('error', new Error('the channel is closed'));
  await closed;
  await waitFor(async () => expect(await connections()).toBe(0), CLOSED_SOON);
});

test.each([
  ['starts', 0],
  ['serves already', 1],
])(
  'if a worker that %s ends before all serve, the start fails and leaves no connection open',
  async (_, ended) => {
    const { forked, ask, run } = await prepare();
    const [frozen] = forked;
    frozen?.process.kill('SIGSTOP');
    const running = run();
    const failed = expect(running).rejects.toThrow('a worker process ended while it started');
    await waitFor(async () => expect(await ask()).toBe(200));
    expect(await connections()).toBeGreaterThan(0);
    forked[ended]?.process.kill('SIGKILL');
    frozen?.process.kill('SIGCONT');
    await failed;
    await waitFor(async () => expect(await connections()).toBe(0), CLOSED_SOON);
  },
);

test('a cut does not wait for a database that does not answer', async () => {
  const { ask, run } = await prepare();
  const serving = await run();
  // The second connection of the writer waits for the lock of a held log, in a statement that gets no response.
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from live_meters where workspace_id = $1 for update', [workspaceId]);
  const asked = expect(ask()).rejects.toThrow('fetch failed');
  await waitFor(async () => expect(await secondWaits()).toBe(true), { interval: 5 });
  proxy.freeze();
  const closed = serving.close();
  serving.cut();
  expect(await Promise.race([closed.then(() => 'closed'), elapsed(CUT_WITHIN_MS)])).toBe('closed');
  await asked;
  proxy.flow();
  client.release(true);
});
