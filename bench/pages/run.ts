import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { ensurePartitions } from '../../service/src/audit-log/partitions.ts';
import { startEmbedded } from '../../service/src/database/embedded/index.ts';
import { migrate } from '../../service/src/database/migrate.ts';
import { createPool, FOR_COMMANDS } from '../../service/src/database/pool.ts';
import { seed, WORKSPACES } from './seed.ts';

/**
 * Pages of 50 from a workspace with 100,000 audits among 1,000,000: the service (live key, every answer audited)
 * against the bare limit, alternating in one run. Prints each round, the medians and the ratio with its spread.
 *
 *   node bench/pages/run.ts [rounds] [seconds a round] [audits in all]
 */
const [rounds = 5, seconds = 4, audits = 1_000_000] = process.argv.slice(2).map(Number);
const CONNECTIONS = 16;
const DEEP = 80_000;
const SECRET = 'the secret of the benchmark, not of a service';

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rates: number[];
}

async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ process: ChildProcess; origin: string }> {
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...env } });
  const [address] = (await once(child, 'message')) as [AddressInfo];
  return { process: child, origin: `http://127.0.0.1:${address.port}` };
}

async function measure({ url, headers }: Target): Promise<number> {
  const result = await autocannon({
    url,
    headers: { ...headers },
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Walks to the page that starts at `skip`, by the list's own cursors. */
async function deepCursor(
  origin: string,
  headers: Readonly<Record<string, string>>,
  skip: number,
): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < skip; seen += 100) {
    const answer = await fetch(`${origin}/v1/audits?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, {
      headers,
    });
    const page = (await answer.json()) as { pagination: { nextCursor: string } };
    cursor = page.pagination.nextCursor;
  }
  return cursor;
}

async function run(databaseUrl: string): Promise<void> {
  const pool = createPool({
    url: databaseUrl,
    max: 2,
    name: 'bench',
    onError: console.error,
    ...FOR_COMMANDS,
  });
  await migrate(pool);
  await ensurePartitions(pool, Date.now());
  await pool.query('set statement_timeout = 0');
  console.log(`loading ${audits} audits`);
  const { workspaceId, token } = await seed(pool, SECRET, audits / WORKSPACES);
  await pool.query('checkpoint');
  await pool.end();

  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_WORKSPACE: workspaceId, BENCH_SECRET: SECRET };
  const bare = await startServer('bare.ts', env);
  const service = await startServer('service.ts', env);
  const headers = { authorization: `Bearer ${token}` };
  const cursor = await deepCursor(service.origin, headers, Math.min(DEEP, (audits / WORKSPACES) * 0.8));
  const targets: readonly Target[] = [
    { name: 'bare', url: `${bare.origin}/`, headers: {}, rates: [] },
    { name: 'service', url: `${service.origin}/v1/audits`, headers, rates: [] },
    { name: 'service, deep page', url: `${service.origin}/v1/audits?cursor=${cursor}`, headers, rates: [] },
  ];
  for (let round = 0; round <= rounds; round++) {
    for (const target of targets) {
      const rate = await measure(target);
      // The first round warms up.
      if (round > 0) target.rates.push(rate);
    }
    if (round > 0)
      console.log(targets.map(({ name, rates }) => `${name} ${rates.at(-1)?.toFixed(0)}/s`).join('   '));
  }
  report(targets);
  bare.process.disconnect();
  service.process.disconnect();
}

function report(targets: readonly Target[]): void {
  const [bare, service, deep] = targets;
  if (bare === undefined || service === undefined || deep === undefined)
    throw new Error('A target is missing.');
  const ratios = (a: Target, b: Target): string => {
    const all = a.rates.map((rate, i) => rate / (b.rates[i] ?? Number.NaN));
    return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
  };
  for (const { name, rates } of targets)
    console.log(`${name}: median ${median(rates).toFixed(0)} requests/s`);
  console.log(`service / bare: ${ratios(service, bare)}`);
  console.log(`first page / deep page (time): ${ratios(service, deep)}`);
}

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
await writeFile(join(dataDir, 'README'), 'A benchmark runs here; it removes this folder when it ends.\n');
const quiet = { info: () => undefined, warn: console.warn, error: console.error };
const server = await startEmbedded({ dataDir: join(dataDir, 'data'), purpose: 'bench', log: quiet });
try {
  await run(server.url);
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true });
}
