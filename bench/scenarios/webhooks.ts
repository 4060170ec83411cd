import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { write } from '../bench.ts';
import { percentilesOf, sinceCommitMs } from '../measure/latencies.ts';
import { type Access, createOwner } from '../target/dashboard.ts';
import { company } from '../target/records.ts';
import type { Scenario } from './scenario.ts';

const WRITES = 200;
const ENDPOINTS = 8;
const BATCHES = 2;
const BATCH_RECORDS = 1_000;
/** A workspace may have 50 endpoints. */
const DEAD_PER_WORKSPACE = 50;
const DEAD_WORKSPACES = 4;
const P50_MS_MAX = 100;
const P99_MS_MAX = 500;
const RATE_MIN = 2_000;
const P99_NEXT_TO_DEAD_MS_MAX = 2_000;
const MS_PER_SECOND = 1_000;

/**
 * Webhooks to receivers on this machine: the time from a commit to the delivery while nothing else happens, the rate of
 * deliveries to several endpoints, and that time again next to 200 endpoints of other workspaces that never respond.
 */
export const webhooks: Scenario = async ({ target, effort: { rounds, duration }, report }) => {
  const short = 'amount' in duration;
  await target.restart({ SVC_WEBHOOK_NETWORKS: '127.0.0.0/8' });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => target.restart({}));
  const owner = await createOwner(target.installation, target.service);
  const endpoint = async ({ workspaceId }: Pick<Access, 'workspaceId'>, url: string): Promise<void> =>
    stack.defer(await owner.createEndpoint(workspaceId, url));
  const send = async (path: string, access: Access, body: unknown): Promise<void> => {
    const { path: to = '', ...init } = write(path, access, body);
    const response = await fetch(target.service.origin + to, init as RequestInit);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };

  const arrivals = new EventTarget();
  const latenciesMs: number[] = [];
  const receiver = await startReceiver(async (request, response) => {
    const { timestamp } = JSON.parse(await text(request)) as { readonly timestamp: string };
    latenciesMs.push(sinceCommitMs(timestamp));
    response.writeHead(204).end();
    arrivals.dispatchEvent(new Event('arrival'));
  });
  stack.use(receiver);
  const arrived = async (count: number): Promise<void> => {
    while (latenciesMs.length < count) await once(arrivals, 'arrival');
  };
  const series = <T>(measure: () => Promise<T>): Promise<readonly T[]> =>
    Array.from({ length: rounds }).reduce<Promise<readonly T[]>>(
      async (before) => [...(await before), await measure()],
      Promise.resolve([]),
    );

  const quiet = await owner.createKey(owner.workspaceId);
  await endpoint(quiet, receiver.url);
  const single = () =>
    target.measureWork(async () => {
      latenciesMs.length = 0;
      const begun = performance.now();
      const count = short ? duration.amount : WRITES;
      for (let n = 1; n <= count; n += 1) {
        await send('/v1/companies', quiet, { name: `Company ${n}` });
        await arrived(n);
      }
      const seconds = (performance.now() - begun) / MS_PER_SECOND;
      return { requests: count, seconds, ...percentilesOf(latenciesMs) };
    });
  await single();
  const idle = await series(single);
  report.series('from the commit to the delivery', idle);
  const p50 = idle.map(({ p50Ms }) => p50Ms);
  const p99 = idle.map(({ p99Ms }) => p99Ms);
  report.verdict('p50 from the commit to the delivery', p50, { most: P50_MS_MAX }, 'ms');
  report.verdict('p99 from the commit to the delivery', p99, { most: P99_MS_MAX }, 'ms');

  const busy = await owner.createKey(await owner.createWorkspace());
  for (let n = 0; n < ENDPOINTS; n += 1) await endpoint(busy, receiver.url);
  let companies = 0;
  const many = await series(() =>
    target.measureWork(async () => {
      latenciesMs.length = 0;
      const records = short ? duration.amount : BATCH_RECORDS;
      const begun = performance.now();
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const data = Array.from({ length: records }, () => company(companies++));
        await send('/v1/companies/batch', busy, { data });
      }
      const requests = BATCHES * records * ENDPOINTS;
      await arrived(requests);
      return {
        requests,
        seconds: (performance.now() - begun) / MS_PER_SECOND,
        ...percentilesOf(latenciesMs),
      };
    }),
  );
  report.series(`deliveries to ${ENDPOINTS} endpoints`, many);
  const rates = many.map(({ rate }) => rate);
  report.verdict(
    `deliveries per second to ${ENDPOINTS} endpoints`,
    rates,
    short ? null : { least: RATE_MIN },
  );

  const silent = await startReceiver(() => undefined);
  stack.use(silent);
  const perWorkspace = short ? 2 : DEAD_PER_WORKSPACE;
  for (let w = 0; w < DEAD_WORKSPACES; w += 1) {
    const dead = await owner.createKey(await owner.createWorkspace());
    for (let n = 0; n < perWorkspace; n += 1) await endpoint(dead, silent.url);
    await send('/v1/companies', dead, { name: 'Company' });
  }
  const count = DEAD_WORKSPACES * perWorkspace;
  await silent.requests(count);
  const nextToDead = await series(single);
  report.series(`next to ${count} endpoints that never respond`, nextToDead);
  report.verdict(
    `p99 next to ${count} endpoints that never respond`,
    nextToDead.map(({ p99Ms }) => p99Ms),
    { most: P99_NEXT_TO_DEAD_MS_MAX },
    'ms',
  );
};

/** Starts a receiver of webhooks in this process. */
async function startReceiver(respond: (request: IncomingMessage, response: ServerResponse) => unknown) {
  let received = 0;
  const arrivals = new EventTarget();
  const server = createServer((request, response) => {
    received += 1;
    arrivals.dispatchEvent(new Event('request'));
    void respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Resolves when so many requests have arrived. */
    requests: async (count: number): Promise<void> => {
      while (received < count) await once(arrivals, 'request');
    },
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
