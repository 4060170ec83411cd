import { Agent, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as elapsed } from 'node:timers/promises';
import { read } from '../bench.ts';
import { cpuUsOf, memoryMb, processesOf } from '../measure/processes.ts';
import { spreadOver, type Workspace } from '../target/workspaces.ts';
import type { Scenario } from './scenario.ts';

const LONG_POLLS = 1_000;
const STREAMS = 1_000;
/** A key may have 100 requests that wait. */
const WAITS_PER_KEY = 100;
/** Long enough for each long poll to end and to be asked again. */
const WINDOW_SECONDS = 40;
/** In a short run, everything is smaller by this. */
const SHORT = 0.02;
const WARM_UP_CONNECTIONS = 64;
const WARM_UP_SECONDS = 10;
const MEMORY_MB_MAX = 100;
const CORE_PERCENT_MAX = 5;
const US_PER_SECOND = 1e6;
const PERCENT = 100;
const LOOK_MS = 100;
const WAITING_WITHIN_MS = 60_000;

/** What 1,000 long polls and 1,000 streams cost while nothing happens, in all processes of the service. */
export const waiting: Scenario = async ({ target, effort: { duration }, report }) => {
  const scale = 'seconds' in duration ? 1 : SHORT;
  const [polls, streams] = [LONG_POLLS * scale, STREAMS * scale];
  await target.restart({});
  const workspaces = spreadOver(target.workspaces, Math.ceil((polls + streams) / WAITS_PER_KEY));
  const of = (index: number): Workspace => workspaces[index % workspaces.length] ?? workspaces[0] ?? never();
  // The memory that requests need in any case is not that of the waits.
  await target.measure({
    connections: WARM_UP_CONNECTIONS * Math.ceil(scale),
    duration: 'seconds' in duration ? { seconds: WARM_UP_SECONDS } : duration,
    requests: workspaces.map((workspace) => read('/v1/changes?after=now', workspace)),
  });
  const memory = (): number =>
    processesOf(target.serviceTree)
      .map(memoryMb)
      .reduce((sum, mb) => sum + mb, 0);
  const before = memory();
  const agent = new Agent({ keepAlive: true });
  const ending = new AbortController();
  const { origin } = target.service;
  const ask = (path: string, { token }: Workspace): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(`${origin}${path}`, { agent, headers, signal: ending.signal }, resolve).once('error', reject);
    });
  const tail = async (workspace: Workspace): Promise<void> => {
    for (let after = 'now'; !ending.signal.aborted; ) {
      const response = await ask(`/v1/changes?wait=30&after=${after}`, workspace);
      if (response.statusCode !== 200) throw new Error(`A long poll got ${response.statusCode}.`);
      after = ((await json(response)) as { readonly pagination: { readonly position: string } }).pagination
        .position;
    }
  };
  let failure: unknown;
  try {
    for (let i = 0; i < polls; i += 1)
      tail(of(i)).catch((error: unknown) => {
        if (!ending.signal.aborted) failure = error;
      });
    for (let i = 0; i < streams; i += 1) {
      const response = await ask('/v1/changes/stream', of(i));
      if (response.statusCode !== 200) throw new Error(`A stream got ${response.statusCode}.`);
      response.on('error', () => undefined).resume();
    }
    await untilWaiting(origin, polls + streams, () => failure);
    const startUs = cpuUsOf(target.serviceTree);
    const startMs = performance.now();
    await elapsed(WINDOW_SECONDS * scale * 1_000);
    const seconds = (performance.now() - startMs) / 1_000;
    const cores = (cpuUsOf(target.serviceTree) - startUs) / US_PER_SECOND / seconds;
    if (failure !== undefined) throw failure;
    const what = `${polls} long polls and ${streams} streams`;
    report.verdict(`memory of ${what}`, [memory() - before], { most: MEMORY_MB_MAX }, 'MB');
    report.verdict(`CPU of ${what}`, [cores * PERCENT], { most: CORE_PERCENT_MAX }, '% of a core');
  } finally {
    ending.abort();
    agent.destroy();
  }
};

const never = (): never => {
  throw new Error('There is no workspace.');
};

/** Resolves when so many requests wait. Throws if one has failed, or if they do not wait soon. */
async function untilWaiting(origin: string, count: number, failure: () => unknown): Promise<void> {
  for (const begun = performance.now(); ; ) {
    if (failure() !== undefined) throw failure();
    const text = await (await fetch(`${origin}/metrics`)).text();
    const waits = Number(/^svc_waiting_requests (\d+)$/m.exec(text)?.[1]);
    if (waits >= count) return;
    if (performance.now() - begun > WAITING_WITHIN_MS) throw new Error(`Only ${waits} requests wait.`);
    await elapsed(LOOK_MS);
  }
}
