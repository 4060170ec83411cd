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
import { auditOf, auditsOf, seed } from './seed.ts';

/**
 * Creates over HTTP on a PostgreSQL that waits for the disk: single audits, the service (live key, the audit entry in
 * the same transaction) against the bare limit, and batches of 1,000, alternating in one run. Prints each round, the
 * medians and the ratio with its spread.
 *
 *   node bench/writes/run.ts [rounds] [seconds a round] [audits there are already]
 */
const [rounds = 5, seconds = 4, existing = 100_000] = process.argv.slice(2).map(Number);
const CONNECTIONS = 16;
const BATCH_RECORDS = 1_000;
const BATCH_CONNECTIONS = [1, 2, 4];
const SECRET = 'the secret of the benchmark, not of a service';

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  /** Records that one request makes. */
  readonly records: number;
  /** Records a second, one number a round. */
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

async function measure({ url, headers, body, connections, records }: Target): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    connections,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return (result['2xx'] / result.duration) * records;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

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
  const { workspaceId, keyId, token } = await seed(pool, SECRET, existing);
  await pool.query('checkpoint');
  await pool.end();

  const env = {
    BENCH_DATABASE_URL: databaseUrl,
    BENCH_WORKSPACE: workspaceId,
    BENCH_KEY: keyId,
    BENCH_SECRET: SECRET,
  };
  const bare = await startServer('bare.ts', env);
  const service = await startServer('../pages/service.ts', env);
  const headers = { authorization: `Bearer ${token}` };
  const one = { body: JSON.stringify(auditOf(1)), connections: CONNECTIONS, records: 1 };
  const batch = { body: JSON.stringify({ data: auditsOf(BATCH_RECORDS) }), records: BATCH_RECORDS };
  const targets: readonly Target[] = [
    { name: 'bare', url: `${bare.origin}/`, headers: {}, ...one, rates: [] },
    { name: 'service', url: `${service.origin}/v1/audits`, headers, ...one, rates: [] },
    ...BATCH_CONNECTIONS.map((connections): Target => {
      const url = `${service.origin}/v1/audits/batch`;
      return { name: `batches, ${connections} at once`, url, headers, ...batch, connections, rates: [] };
    }),
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
  const [bare, service] = targets;
  if (bare === undefined || service === undefined) throw new Error('A target is missing.');
  for (const { name, rates } of targets) console.log(`${name}: median ${median(rates).toFixed(0)} records/s`);
  const ratios = service.rates.map((rate, i) => rate / (bare.rates[i] ?? Number.NaN));
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(`service / bare: ${median(ratios).toFixed(2)} (${spread})`);
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
