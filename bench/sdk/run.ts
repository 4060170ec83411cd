import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Audit, type ListEnvelope, Svc } from '@svc/sdk';
import { onDatabase, seeded, spread, startServer } from '../harness.ts';
import { seed, WORKSPACES } from '../pages/seed.ts';

/**
 * Reads 100,000 audits with `for await` of the client and with a hand-written fetch loop of the same page size. Prints the
 * times, their ratio, and the heap during a walk. The two walks alternate every ten pages, so that other load of the
 * machine slows both equally.
 *
 *   node bench/sdk/run.ts [rounds] [audits]
 */
const [rounds = 5, audits = 100_000] = process.argv.slice(2).map(Number);
const LIMIT = 100;
/** Audits of one turn. */
const TURN = 10 * LIMIT;
const SECRET = 'the secret of the benchmark, not of a service';
/** The decimals of the ratios, which are close to 1. */
const DIGITS = 3;
const MEBIBYTE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const heapMebibytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / MEBIBYTE;
};

/** Yields the number of audits so far at the end of each turn. */
type Walk = AsyncGenerator<number, void, undefined>;

async function* byClient(baseUrl: string, apiKey: string): Walk {
  let given = 0;
  for await (const _ of new Svc({ baseUrl, apiKey }).audits.list({ limit: LIMIT })) {
    given += 1;
    if (given % TURN === 0) yield given;
  }
}

async function* byHand(baseUrl: string, apiKey: string): Walk {
  const headers = { authorization: `Bearer ${apiKey}` };
  let given = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `${baseUrl}/v1/audits?limit=${LIMIT}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answer = await fetch(url, { headers });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const page = (await answer.json()) as ListEnvelope<Audit>;
    for (const _ of page.data) {
      given += 1;
      if (given % TURN === 0) yield given;
    }
    cursor = page.pagination.nextCursor;
  }
}

/** The duration of a walk and the processor time of this process, in milliseconds. */
interface Cost {
  readonly wall: number;
  readonly processor: number;
}

const NOTHING: Cost = { wall: 0, processor: 0 };
const sum = (a: Cost, b: Cost): Cost => ({ wall: a.wall + b.wall, processor: a.processor + b.processor });

/** Runs two walks to their ends, alternately. Which walk goes first alternates too. */
async function takeTurns(walks: readonly [Walk, Walk]): Promise<readonly [Cost, Cost]> {
  const costs: [Cost, Cost] = [NOTHING, NOTHING];
  for (let turn = 0; ; turn++) {
    for (const i of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const [begun, before] = [performance.now(), process.cpuUsage()];
      const { value, done } = await walks[i].next();
      const { user, system } = process.cpuUsage(before);
      costs[i] = sum(costs[i], { wall: performance.now() - begun, processor: (user + system) / 1000 });
      if (done !== true && value !== (turn + 1) * TURN) throw new Error(`${value} audits in turn ${turn}`);
      if (done === true && turn * TURN !== audits) throw new Error(`it ended in turn ${turn}`);
    }
    if (turn * TURN === audits) return costs;
  }
}

async function heapDuring(walk: Walk): Promise<readonly number[]> {
  const heaps: number[] = [];
  for await (const given of walk) if (given % (audits / 10) === 0) heaps.push(heapMebibytes());
  return heaps;
}

const costText = ({ wall, processor }: Cost): string =>
  `${wall.toFixed(0)} ms (processor ${processor.toFixed(0)} ms)`;
async function compare(databaseUrl: string): Promise<void> {
  console.log(`loading ${audits * WORKSPACES} audits`);
  const { token } = await seeded(databaseUrl, (pool) => seed(pool, SECRET, audits));
  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_SECRET: SECRET };
  const service = await startServer(new URL('../pages/service.ts', import.meta.url), env);
  const baseUrl = service.origin;
  const ratios: Cost[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [client, hand] = await takeTurns([byClient(baseUrl, token), byHand(baseUrl, token)]);
    // The first round warms up.
    if (round === 0) continue;
    const ratio = { wall: client.wall / hand.wall, processor: client.processor / hand.processor };
    ratios.push(ratio);
    console.log(
      `client ${costText(client)}   by hand ${costText(hand)}   ratio ${ratio.wall.toFixed(3)}, processor ${ratio.processor.toFixed(3)}`,
    );
  }
  console.log(
    `client / by hand, time: ${spread(
      ratios.map(({ wall }) => wall),
      DIGITS,
    )}`,
  );
  console.log(
    `client / by hand, processor time: ${spread(
      ratios.map(({ processor }) => processor),
      DIGITS,
    )}`,
  );
  const heaps = await heapDuring(byClient(baseUrl, token));
  console.log(`heap at each tenth of a walk, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(' ')}`);
  service.process.disconnect();
}

await onDatabase(compare);
