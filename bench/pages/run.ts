import autocannon from 'autocannon';
import { median, onDatabase, ratio, seeded, startServer } from '../harness.ts';
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
  console.log(`loading ${audits} audits`);
  const { workspaceId, token } = await seeded(databaseUrl, (pool) => seed(pool, SECRET, audits / WORKSPACES));

  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_WORKSPACE: workspaceId, BENCH_SECRET: SECRET };
  const bare = await startServer(new URL('bare.ts', import.meta.url), env);
  const service = await startServer(new URL('service.ts', import.meta.url), env);
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
  for (const { name, rates } of targets)
    console.log(`${name}: median ${median(rates).toFixed(0)} requests/s`);
  console.log(`service / bare: ${ratio(service.rates, bare.rates)}`);
  console.log(`first page / deep page (time): ${ratio(service.rates, deep.rates)}`);
}

await onDatabase(run);
