import { randomUUID } from 'node:crypto';
import { HOSTILE_FILES, type HostileFile } from '../service/test/records/hostile.fixture.ts';
import { createTarget } from './bench.ts';
import { withCleanup } from './cleanup.ts';
import { peakMemoryMb, resetPeakMemory } from './measure/processes.ts';
import { createOwner } from './target/dashboard.ts';
import type { Workspace } from './target/workspaces.ts';

/**
 * Measures how long imports of hostile files by one workspace in the dashboard block the event loop of a process, and how
 * long another workspace waits for a page meanwhile. Prints a line for each file; the first lines are without a file.
 *
 *   node bench/event-loop.ts [bytes of a file] [seconds for each at most]
 */
const [bytes = 1_000_000, seconds = 5] = process.argv.slice(2).map(Number);
const SIZE = { workspaces: 1, largest: 1_000, scale: 1 };
const MS_PER_SECOND = 1_000;
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** The time for which the event loop was blocked since the last call. */
async function blockedMs(origin: string): Promise<Readonly<Record<'p99' | 'max', number>>> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const value = (name: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(metrics)?.[1]) *
    MS_PER_SECOND;
  return { p99: value('p99'), max: value('max') };
}

/** Reads pages until `ended` aborts. Returns the longest time for a page. */
async function readPages(origin: string, { token }: Workspace, ended: AbortSignal): Promise<number> {
  let longestMs = 0;
  while (!ended.aborted) {
    const before = performance.now();
    const answer = await fetch(`${origin}/v1/audits?limit=10`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
    longestMs = Math.max(longestMs, performance.now() - before);
  }
  return longestMs;
}

async function upload(
  url: string,
  headers: Readonly<Record<string, string>>,
  file: HostileFile,
): Promise<void> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': TYPES[file.format], 'idempotency-key': randomUUID() },
    body: Buffer.concat([...file.chunks(bytes)]),
    signal: AbortSignal.timeout(seconds * MS_PER_SECOND),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'TimeoutError') return { status: 0 };
    throw error;
  });
  if (![0, 201, 400].includes(status)) throw new Error(`The import was answered with ${status}.`);
}

await withCleanup(async (stack) => {
  const target = await createTarget(stack, {}, SIZE);
  await target.restart({ SVC_WORKERS: '1' });
  const { service, installation, workspaces } = target;
  const [polite] = workspaces;
  if (polite === undefined) throw new Error('There is no workspace.');
  const owner = await createOwner(installation, service);
  const url = `${service.origin}/dashboard/api/workspaces/${owner.workspaceId}/imports/companies`;
  const none: HostileFile = { format: 'ndjson', chunks: () => [] };
  // Twice: the first one warms up.
  for (const [name, file] of [['none', none], ['none', none], ...Object.entries(HOSTILE_FILES)] as const) {
    await blockedMs(service.origin);
    resetPeakMemory(target.serviceTree);
    const ended = new AbortController();
    const pages = readPages(service.origin, polite, ended.signal);
    const before = performance.now();
    await upload(url, owner.headers, file);
    const ms = performance.now() - before;
    ended.abort();
    const longestMs = await pages;
    const { p99, max } = await blockedMs(service.origin);
    console.log(
      `${name}: ${ms.toFixed(0)} ms; loop blocked p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms; ` +
        `a page waited ${longestMs.toFixed(0)} ms at most; ${peakMemoryMb(service.pid).toFixed(0)} MB`,
    );
  }
});
