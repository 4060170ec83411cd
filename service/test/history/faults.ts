import type { ThrowawayServer } from '@svc/embedded-postgres/testing';
import { type DatabaseProxy, elapsed } from '../harness/postgres/proxy.ts';
import type { ServiceNode } from './node.ts';
import { descendantsOf, signalAll, untilEnded } from './processes.ts';
import type { Random } from './random.ts';

/** The targets of faults. */
export interface Stage {
  readonly nodes: readonly [ServiceNode, ...ServiceNode[]];
  readonly database: ThrowawayServer;
  readonly proxy: DatabaseProxy;
}

/** A fault. It causes damage, waits, and repairs the damage before it resolves. */
type Fault = (stage: Stage, random: Random) => Promise<void>;

const HOUR_MS = 3_600_000;
const HOLD_MS = { least: 200, most: 1_500 } as const;
const PAUSE_MS = { least: 150, most: 900 } as const;

const hold = (random: Random): Promise<void> => elapsed(random.integer(HOLD_MS.least, HOLD_MS.most));

/** A worker of a node. Undefined: none runs now. */
async function workerOf({ nodes }: Stage, random: Random): Promise<readonly number[]> {
  const workers = await random.pick(nodes).workers();
  return workers.length === 0 ? [] : [workers[random.integer(0, workers.length - 1)] ?? 0];
}

/** PostgreSQL's own processes without the postmaster. */
const backends = ({ database }: Stage): Promise<readonly number[]> => descendantsOf(database.pid());

const FAULTS: Readonly<Record<string, Fault>> = {
  async 'kill a worker'(stage, random) {
    signalAll(await workerOf(stage, random), 'SIGKILL');
  },
  async 'stop a worker'(stage, random) {
    const worker = await workerOf(stage, random);
    signalAll(worker, 'SIGSTOP');
    await hold(random);
    signalAll(worker, 'SIGCONT');
  },
  async 'kill a node'({ nodes }, random) {
    const node = random.pick(nodes);
    await node.kill();
    await node.start();
  },
  async 'kill all nodes'({ nodes }) {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map((node) => node.start()));
  },
  async 'restart the nodes one after the other'({ nodes }) {
    for (const node of nodes) {
      // PostgreSQL may still recover from a killed session, and a stream that ends then has no entry of its end.
      await node.ready();
      await node.stop();
      await node.start();
    }
  },
  async 'stop a node'({ nodes }, random) {
    const node = random.pick(nodes);
    await node.signal('SIGSTOP');
    await hold(random);
    await node.signal('SIGCONT');
  },
  async 'kill a session of PostgreSQL'(stage, random) {
    const all = await backends(stage);
    if (all.length > 0) signalAll([all[random.integer(0, all.length - 1)] ?? 0], 'SIGKILL');
  },
  async 'kill PostgreSQL'(stage) {
    const sessions = await backends(stage);
    signalAll([stage.database.pid(), ...sessions], 'SIGKILL');
    await untilEnded(sessions);
    await stage.database.restart();
  },
  async 'stop PostgreSQL'(stage, random) {
    const all = await backends(stage);
    signalAll(all, 'SIGSTOP');
    await hold(random);
    signalAll(all, 'SIGCONT');
  },
  async 'cut the connections'({ proxy }) {
    proxy.cut();
  },
  async 'delay the connections'({ proxy }, random) {
    proxy.delay(random.integer(5, 60));
    await hold(random);
    proxy.flow();
  },
  async 'freeze the connections'({ proxy }, random) {
    proxy.freeze();
    await hold(random);
    proxy.flow();
  },
  async 'step a clock'({ nodes }, random) {
    const node = random.pick(nodes);
    await node.stepClock(random.pick([-2, -1, 1, 2]) * HOUR_MS);
    await hold(random);
    await node.stepClock(0);
  },
};

/** The faults of a run by default: all of them. */
export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** Injects one fault after the other until `untilMs`, each once before one repeats. Returns their names in order. */
export async function injectFaults(
  stage: Stage,
  random: Random,
  untilMs: number,
  names: readonly string[],
): Promise<readonly string[]> {
  const injected: string[] = [];
  let round: string[] = [];
  while (performance.now() < untilMs) {
    await elapsed(random.integer(PAUSE_MS.least, PAUSE_MS.most));
    if (round.length === 0) round = [...names];
    const [name] = round.splice(random.integer(0, round.length - 1), 1);
    if (name === undefined) continue;
    injected.push(name);
    await FAULTS[name]?.(stage, random);
  }
  return injected;
}
