import autocannon from 'autocannon';
import { median, onDatabase, ratio, seeded, startServer } from '../harness.ts';
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
  /** The records that one request creates. */
  readonly records: number;
  /** The records per second of each round. */
  readonly rates: number[];
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

async function run(databaseUrl: string): Promise<void> {
  const { workspaceId, keyId, token } = await seeded(databaseUrl, (pool) => seed(pool, SECRET, existing));

  const env = {
    BENCH_DATABASE_URL: databaseUrl,
    BENCH_WORKSPACE: workspaceId,
    BENCH_KEY: keyId,
    BENCH_SECRET: SECRET,
  };
  const bare = await startServer(new URL('bare.ts', import.meta.url), env);
  const service = await startServer(new URL('../pages/service.ts', import.meta.url), env);
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
  console.log(`service / bare: ${ratio(service.rates, bare.rates)}`);
}

await onDatabase(run);
