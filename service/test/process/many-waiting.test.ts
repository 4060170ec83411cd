import { Agent, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { startRunningService } from '../harness/running-service.ts';

/** What many requests that wait cost a worker: memory, and processor time while nothing happens. */

const LONG_POLLS = 1_000;
const STREAMS = 1_000;
/** Each may have 100 requests that wait. */
const KEYS = 20;
const MEMORY_MAX_MB = 100;
/** A coarse bound, because other work of the machine counts too. The scenario `waiting` of the benchmark measures it. */
const CORE_MAX_PERCENT = 25;
const MB = 1_000_000;

const { service, dashboard, workspaceId } = await startRunningService();
/** A workspace may have 1,000. */
const other = (await dashboard.post<{ readonly id: string }>('/workspaces', { name: 'other' })).id;
const tokens = (
  await Promise.all(
    [workspaceId, other].map((id) =>
      Promise.all(Array.from({ length: KEYS / 2 }, () => dashboard.createKey(id))),
    ),
  )
)
  .flat()
  .map(({ token }) => token);
const agent = new Agent({ keepAlive: true });
const ending = new AbortController();
onFileEnd(async () => {
  ending.abort();
  agent.destroy();
});

interface Figures {
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly waiting: number;
}
async function figures(): Promise<Figures> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    bytes: value('process_resident_memory_bytes'),
    cpuSeconds: value('process_cpu_seconds_total'),
    waiting: value('svc_waiting_requests'),
  };
}

const ask = (path: string, token: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(`${service.url}${path}`, { agent, headers, signal: ending.signal }, resolve).once('error', reject);
  });
/** Many requests at the same time, so that the worker has the memory that it needs for them. */
async function warmUp(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) =>
        json(await ask('/v1/changes?after=now', tokens[i % KEYS] ?? '')),
      ),
    );
  }
}
let answered = 0;
/** Waits for changes again and again, as a tail does. */
async function tail(token: string): Promise<void> {
  let after = 'now';
  while (!ending.signal.aborted) {
    const response = await ask(`/v1/changes?wait=30&after=${after}`, token);
    const page = (await json(response)) as { readonly pagination: { readonly position: string } };
    after = page.pagination.position;
    answered += 1;
  }
}
async function stream(token: string): Promise<void> {
  (await ask('/v1/changes/stream', token)).on('error', () => undefined).resume();
}

test(`${LONG_POLLS} long polls and ${STREAMS} streams need little memory and processor time`, async () => {
  await warmUp();
  const before = await figures();
  const polls = Array.from({ length: LONG_POLLS }, (_, i) => tail(tokens[i % KEYS] ?? ''));
  for (const poll of polls) poll.catch(() => undefined);
  for (let i = 0; i < STREAMS; i++) await stream(tokens[i % KEYS] ?? '');
  await waitFor(async () => expect((await figures()).waiting).toBe(LONG_POLLS + STREAMS), {
    timeout: 60_000,
  });
  const start = await figures();
  answered = 0;
  const startMs = performance.now();
  // Each long poll is asked again once.
  await waitFor(() => expect(answered).toBeGreaterThanOrEqual(LONG_POLLS), {
    timeout: 60_000,
    interval: 500,
  });
  const end = await figures();
  const seconds = (performance.now() - startMs) / 1000;
  const megabytes = (end.bytes - before.bytes) / MB;
  const percent = ((end.cpuSeconds - start.cpuSeconds) / seconds) * 100;
  expect(end.waiting).toBeGreaterThan(0.9 * (LONG_POLLS + STREAMS));
  expect(megabytes).toBeLessThan(MEMORY_MAX_MB);
  expect(percent).toBeLessThan(CORE_MAX_PERCENT);
}, 180_000);
