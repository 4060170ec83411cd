import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type RetryEvent, Svc, SvcNetworkError } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { bigQuery, LISTS } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService, TEST_SECRET } from '@svc/service/harness/service.ts';
import { expect, test, vi } from 'vitest';
import { idsOf } from './lists/lists.ts';

// On a busy machine, the service starts slowly.
vi.setConfig({ testTimeout: 90_000 });

const RECORDS = 500;
const { database, pool, workspace, token: newToken } = await createTestService();
const workspaceId = await workspace();
const token = await newToken(workspaceId, { access: 'write' });
const companyId = 'com_a';
await seedRecords(pool, workspaceId, resourceNamed('companies'), [
  { id: companyId, createdAt: '2026-01-01T00:00:00Z' },
]);
const rows = Array.from({ length: RECORDS }, (_, i) => ({
  id: `aud_${i}`,
  companyId,
  createdAt: `2026-02-01T00:00:00.${String(i).padStart(6, '0')}Z`,
}));
await seedRecords(pool, workspaceId, resourceNamed('audits'), rows);

/** The service in a process of its own, which is killed and started again on the same port. */
let running: ChildProcess | undefined;
let port = 0;

async function start(): Promise<void> {
  const child = fork(join(import.meta.dirname, 'service.fixture.ts'), {
    env: { ...process.env, TEST_DATABASE_URL: database.url, TEST_SECRET, TEST_PORT: String(port) },
  });
  running = child;
  const [address] = (await once(child, 'message')) as [AddressInfo];
  port = address.port;
}

async function kill(): Promise<void> {
  const child = running;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

onFileEnd(kill);
await start();

const retries: RetryEvent[] = [];
const svc = new Svc({
  apiKey: token,
  baseUrl: `http://127.0.0.1:${port}`,
  retries: Number.POSITIVE_INFINITY,
  onRetry: (event) => retries.push(event),
});

test('an iteration yields every record exactly once while its service is killed and restarted, at once or later', async () => {
  const audits = LISTS.find(({ name }) => name === 'audits');
  if (audits === undefined) throw new Error('there are no audits');
  const expected = await bigQuery(pool, workspaceId, audits);
  const ids: string[] = [];
  for await (const { id } of svc.audits.list({ limit: 20 })) {
    ids.push(id);
    if (ids.length === 70) await kill().then(start);
    if (ids.length === 250) await kill().then(() => void start());
  }
  expect(ids).toEqual(expected);
  expect(retries.some(({ error }) => error instanceof SvcNetworkError)).toBe(true);
});

test('records that are created while the service is killed repeatedly exist exactly once', async () => {
  const before = await svc.audits.count();
  let batches = 0;
  const source = function* () {
    for (let i = 0; i < 400; i++)
      yield { companyId, headlineScore: i % 101, completedAt: '2026-03-01T09:30:00Z' };
  };
  const created: string[] = [];
  let restarted = Promise.resolve();
  for await (const records of svc.audits.createBatches(source(), { batchSize: 20 })) {
    created.push(...records.map(({ id }) => id));
    batches += 1;
    // In the middle of the next batch, wherever that is.
    if (batches === 5 || batches === 15) restarted = restarted.then(kill).then(start);
  }
  await restarted;
  expect(created).toHaveLength(400);
  expect(await svc.audits.count()).toMatchObject({ count: before.count + 400 });
  const tailed = await idsOf(svc.audits.tail({ follow: false }));
  expect(tailed.slice(-400)).toEqual(created);
});
