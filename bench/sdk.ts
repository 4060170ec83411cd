import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Audit, type ListEnvelope, Svc } from '@svc/sdk';
import { createTarget } from './bench.ts';
import { withCleanup } from './cleanup.ts';
import { spreadOf } from './measure/rounds.ts';

/**
 * Reads 100,000 audits with `for await` of the client and with a hand-written fetch loop of the same page size. Prints the
 * times, their ratio, and the heap during a walk. The two walks alternate every ten pages, so that other load of the
 * machine slows both equally.
 *
 *   node bench/sdk.ts [rounds] [audits]
 */
const [rounds = 5, audits = 100_000] = process.argv.slice(2).map(Number);
const LIMIT = 100;
/** Audits of one turn. */
const TURN = 10 * LIMIT;
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
async function compare(baseUrl: string, token: string): Promise<void> {
  const ratios: Cost[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [client, hand] = await takeTurns([byClient(baseUrl, token), byHand(baseUrl, token)]);
    // The first round warms up.
    if (round === 0) continue;
    const ratio = { wall: client.wall / hand.wall, processor: client.processor / hand.processor };
    ratios.push(ratio);
    console.log(
      `client ${costText(client)}   by hand ${costText(hand)}   ratio ${ratio.wall.toFixed(DIGITS)}, processor ${ratio.processor.toFixed(DIGITS)}`,
    );
  }
  for (const [name, field] of [
    ['time', 'wall'],
    ['processor time', 'processor'],
  ] as const) {
    const { median, least, greatest } = spreadOf(ratios.map((ratio) => ratio[field]));
    console.log(
      `client / by hand, ${name}: ${median.toFixed(DIGITS)} (${least.toFixed(DIGITS)} to ${greatest.toFixed(DIGITS)})`,
    );
  }
  const heaps = await heapDuring(byClient(baseUrl, token));
  console.log(`heap at each tenth of a walk, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(' ')}`);
}

console.log(`loading ${audits} audits`);
await withCleanup(async (stack) => {
  const target = await createTarget(stack, {}, { workspaces: 1, largest: audits, scale: 1 });
  await compare(target.service.origin, target.workspaces[0]?.token ?? '');
});
