import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { bootstrap, createDashboardAuth, createSignInLink } from '../../service/src/dashboard/index.ts';
import { freePort } from '../../service/src/server/listen.ts';
import { HOSTILE_FILES, type HostileFile } from '../../service/test/records/hostile.fixture.ts';
import { type MeasuredServer, onDatabase, seeded, startServer } from '../harness.ts';
import { seed } from '../pages/seed.ts';
import type { Held } from './service.ts';

/**
 * Measures how long imports of hostile files by one workspace in the dashboard block the event loop of a process, and how
 * long another workspace waits for a page meanwhile. Prints a line for each file; the first lines are without a file.
 *
 *   node bench/event-loop/run.ts [bytes of a file] [seconds for each at most]
 */
const [bytes = 1_000_000, seconds = 5] = process.argv.slice(2).map(Number);
const SECRET = 'the secret of the benchmark, not of a service';
const AUDITS = 1_000;
const MS_PER_SECOND = 1_000;
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

interface Session {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a person in who may import into a workspace. */
async function signIn(databaseUrl: string, origin: string): Promise<Session> {
  const { userId, workspaceId } = await seeded(databaseUrl, async (pool) => {
    const auth = createDashboardAuth({
      pool,
      secrets: [SECRET],
      publicUrl: origin,
      log: pino({ level: 'warn' }),
    });
    const account = { email: 'bench@example.com', password: 'correct horse battery staple' };
    return bootstrap({ pool, auth, ...account, workspaceName: 'hostile' });
  });
  const link = await seeded(databaseUrl, (pool) => createSignInLink({ pool, publicUrl: origin, userId }));
  const answer = await fetch(`${origin}/dashboard/api/sign-in-link`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URLSearchParams(new URL(link).hash.slice(1)).get('token') }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const cookie = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  return {
    url: `${origin}/dashboard/api/workspaces/${workspaceId}/imports/companies`,
    headers: { origin, cookie: cookie.join('; ') },
  };
}

async function heldBy({ process: service }: MeasuredServer): Promise<Held> {
  const answer = once(service, 'message');
  service.send('held');
  const [held] = (await answer) as [Held];
  return held;
}

/** Reads pages until `ended` aborts. Returns the longest time for a page. */
async function readPages(origin: string, token: string, ended: AbortSignal): Promise<number> {
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

async function upload({ url, headers }: Session, file: HostileFile): Promise<void> {
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

await onDatabase(async (databaseUrl) => {
  const { token } = await seeded(databaseUrl, (pool) => seed(pool, SECRET, AUDITS));
  const port = String(await freePort('127.0.0.1'));
  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_SECRET: SECRET, BENCH_PORT: port };
  const service = await startServer(new URL('service.ts', import.meta.url), env);
  const session = await signIn(databaseUrl, service.origin);
  const none: HostileFile = { format: 'ndjson', chunks: () => [] };
  // Twice: the first one warms up.
  for (const [name, file] of [['none', none], ['none', none], ...Object.entries(HOSTILE_FILES)] as const) {
    await heldBy(service);
    const ended = new AbortController();
    const pages = readPages(service.origin, token, ended.signal);
    const before = performance.now();
    await upload(session, file);
    const ms = performance.now() - before;
    ended.abort();
    const longestMs = await pages;
    const { p99Ms, maxMs, memoryMib } = await heldBy(service);
    console.log(
      `${name}: ${ms.toFixed(0)} ms; loop held p99 ${p99Ms.toFixed(0)} ms, max ${maxMs.toFixed(0)} ms; ` +
        `a page waited ${longestMs.toFixed(0)} ms at most; ${memoryMib.toFixed(0)} MiB`,
    );
  }
  service.process.disconnect();
});
