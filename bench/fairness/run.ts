import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';
import type pg from 'pg';
import { median, onDatabase, ratio, seeded, spread, startServer } from '../harness.ts';
import { issueKey, seed, WORKSPACES } from '../pages/seed.ts';

/**
 * Measures a workspace that reads pages over 4 connections (polite) while another one sends as much as it can over 64
 * connections (its neighbour). Alternates all kinds of neighbours and no neighbour in one run. Prints the rate and the
 * latency of the polite workspace, and the CPU time of the service per request of both.
 *
 *   node bench/fairness/run.ts [rounds] [seconds a round] [audits in all]
 */
const [rounds = 5, seconds = 4, audits = 1_000_000] = process.argv.slice(2).map(Number);
const POLITE_CONNECTIONS = 4;
const HOSTILE_CONNECTIONS = 64;
const SECRET = 'the secret of the benchmark, not of a service';
/** Of /proc/PID/stat: user and system time, counted after the name of the program, in ticks of 10 ms. */
const CPU_FIELDS = [11, 12] as const;
const US_PER_TICK = 10_000;

/** The path that the neighbour requests. Null: there is no neighbour. */
const NEIGHBOURS = { none: null, pages: '/v1/audits', 'exact counts': '/v1/audits/count' } as const;
type Neighbour = keyof typeof NEIGHBOURS;

interface Round {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
  readonly neighbourRate: number;
  readonly cpuUsPerRequest: number;
}

async function cpuUs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return CPU_FIELDS.reduce((sum, field) => sum + Number(fields[field]), 0) * US_PER_TICK;
}

/** Each load has a thread of its own: the polite client does not wait for responses to the hostile one. */
const load = (url: string, token: string, connections: number): Promise<autocannon.Result> =>
  autocannon({
    url,
    headers: { authorization: `Bearer ${token}` },
    connections,
    duration: seconds,
    workers: 1,
  });

async function measure(
  { origin, pid }: { readonly origin: string; readonly pid: number },
  tokens: { readonly polite: string; readonly hostile: string },
  neighbour: Neighbour,
): Promise<Round> {
  const before = await cpuUs(pid);
  const path = NEIGHBOURS[neighbour];
  const [polite, hostile] = await Promise.all([
    load(`${origin}/v1/audits`, tokens.polite, POLITE_CONNECTIONS),
    path === null ? undefined : load(`${origin}${path}`, tokens.hostile, HOSTILE_CONNECTIONS),
  ]);
  const requests = polite.requests.total + (hostile?.requests.total ?? 0);
  return {
    rate: polite.requests.average,
    p50Ms: polite.latency.p50,
    p99Ms: polite.latency.p99,
    refused: polite.non2xx + polite.errors,
    neighbourRate: hostile === undefined ? 0 : hostile['2xx'] / seconds,
    cpuUsPerRequest: ((await cpuUs(pid)) - before) / requests,
  };
}

/** A live key of a workspace that is not this one. */
async function otherKey(pool: pg.Pool, workspaceId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from workspaces where id <> $1 limit 1', [
    workspaceId,
  ]);
  return issueKey(pool, SECRET, rows[0]?.id ?? '');
}

function report(name: Neighbour, of: readonly Round[], alone: readonly Round[]): void {
  const values = (field: keyof Round) => of.map((round) => round[field]);
  console.log(
    `neighbour ${name}: polite ${spread(values('rate'), 0)} requests/s, p50 ${spread(values('p50Ms'), 0)} ms, ` +
      `p99 ${spread(values('p99Ms'), 0)} ms, ${values('refused').reduce((sum, count) => sum + count, 0)} refused; ` +
      `neighbour ${median(values('neighbourRate')).toFixed(0)} requests/s; ` +
      `${median(values('cpuUsPerRequest')).toFixed(0)} µs of the service's CPU per request`,
  );
  if (of === alone) return;
  const rates = (list: readonly Round[]) => list.map(({ rate }) => rate);
  console.log(`  rate against no neighbour: ${ratio(rates(of), rates(alone))}`);
}

await onDatabase(async (databaseUrl) => {
  console.log(`loading ${audits} audits`);
  const tokens = await seeded(databaseUrl, async (pool) => {
    const { workspaceId, token } = await seed(pool, SECRET, audits / WORKSPACES);
    return { polite: token, hostile: await otherKey(pool, workspaceId) };
  });
  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_SECRET: SECRET };
  const service = await startServer(new URL('../pages/service.ts', import.meta.url), env);
  const target = { origin: service.origin, pid: service.process.pid ?? 0 };
  const measured: Record<Neighbour, Round[]> = { none: [], pages: [], 'exact counts': [] };
  const names = Object.keys(NEIGHBOURS) as Neighbour[];
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const result = await measure(target, tokens, name);
      // The first round warms up.
      if (round > 0) measured[name].push(result);
    }
  }
  for (const name of names) report(name, measured[name], measured.none);
  service.process.disconnect();
});
