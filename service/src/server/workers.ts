import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { SHUTDOWN_DEADLINE_MS } from '../config/limits.ts';
import { OperatorError } from '../config/operator-error.ts';
import type { Limiter } from '../quota/limiter.ts';
import type { PrimaryCalls, WorkerCalls } from './calls.ts';
import { createCrashLimit } from './crash-limit.ts';
import { connectPeer, type Peer, PeerGoneError } from './rpc.ts';
import type { Serving } from './serve.ts';
import type { ServiceSettings } from './settings.ts';

const WORKER_PROGRAM = join(import.meta.dirname, '../main.ts');

/** A worker that does not answer (it is frozen, or computes) is left out of the metrics after this time. */
const COLLECT_TIMEOUT_MS = 1_000;
/** One that does not end is killed this long after it should have. */
const END_GRACE_MS = 3_000;

/** Forked processes that wait for the settings to serve with. */
export interface Workers {
  /** Lets all of them serve. Throws OperatorError when the first of them cannot. */
  readonly run: (settings: ServiceSettings) => Promise<Serving>;
  readonly kill: () => void;
}

interface Member {
  readonly worker: Worker;
  readonly peer: Peer<WorkerCalls>;
}

/**
 * Processes that share one port of this machine. The primary decides their limits, so they are exact for the whole
 * machine, adds up their metrics, and replaces one that dies.
 */
export function forkWorkers(
  count: number,
  parts: { readonly log: Logger; readonly limiter: Limiter },
): Workers {
  const { log, limiter } = parts;
  const members = new Set<Member>();
  const crashes = createCrashLimit();
  const failed = Promise.withResolvers<Error>();
  let running: ServiceSettings | undefined;
  let ending = false;

  const offered: PrimaryCalls = {
    take: ({ bucket, limit, windowMs, cost }) => limiter.take(bucket, limit, windowMs, cost),
    readMetrics: () => addUp([...members]),
  };
  cluster.setupPrimary({ exec: WORKER_PROGRAM, args: [] });

  const fork = (): Member => {
    const worker = cluster.fork();
    const member = { worker, peer: connectPeer<WorkerCalls>(worker, offered) };
    members.add(member);
    const gone = (outcome: string): void => {
      if (!members.delete(member)) return;
      if (!ending && running !== undefined) void replace(worker, outcome, running);
    };
    worker.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
    // Without a listener it would end the primary: a connection that was passed on to one that is just dying, or a
    // process that could not be started, of which there is no exit.
    worker.on('error', (error) => {
      log.debug({ err: error }, 'the channel to a worker process failed');
      if (worker.process.pid === undefined) gone(error.message);
    });
    return member;
  };
  const replace = async (old: Worker, outcome: string, settings: ServiceSettings): Promise<void> => {
    log.error(
      { worker: old.process.pid, outcome },
      `a worker process died (${outcome}); another one takes its place`,
    );
    const pauseMs = crashes.next();
    if (pauseMs === undefined)
      return failed.resolve(new OperatorError('worker processes die again and again'));
    await delay(pauseMs);
    if (ending) return;
    const { worker, peer } = fork();
    await peer.call('run', settings).catch((error: unknown) => {
      log.error({ err: error }, 'the new worker process cannot serve');
      worker.process.kill('SIGKILL');
    });
  };

  const kill = (): void => {
    ending = true;
    for (const { worker } of members) worker.process.kill('SIGKILL');
  };
  const killAfter = (worker: Worker, ms: number): void => {
    const timer = setTimeout(() => {
      log.warn({ worker: worker.process.pid }, 'a worker process does not end; it is killed');
      worker.process.kill('SIGKILL');
    }, ms);
    worker.once('exit', () => clearTimeout(timer));
  };
  const end = async ({ worker, peer }: Member): Promise<void> => {
    const exited = once(worker, 'exit');
    killAfter(worker, SHUTDOWN_DEADLINE_MS + END_GRACE_MS);
    // Once this is said to all of them in one go, the port is closed, and what was passed on came ahead of the word.
    // Workers that stop listening by themselves would pass a connection back when nobody is left to take it, and it
    // would hang (nodejs/node#21746). Their channels last until their requests have ended.
    worker.disconnect();
    void peer.call('close', null).catch(() => undefined);
    await exited;
  };

  for (let i = 0; i < count; i++) fork();
  return {
    kill,
    async run(settings) {
      try {
        if (members.size < count) throw new PeerGoneError();
        await Promise.all([...members].map(({ peer }) => peer.call('run', settings)));
      } catch (error) {
        kill();
        throw startFailure(error);
      }
      running = settings;
      return {
        port: settings.port,
        failed: failed.promise,
        async close() {
          ending = true;
          await Promise.all([...members].map(end));
        },
        cut: () => {
          for (const { worker, peer } of members) {
            killAfter(worker, END_GRACE_MS);
            void peer.call('cut', null).catch(() => undefined);
          }
        },
      };
    },
  };
}

/** A worker that cannot listen says why; one that ended has said so on standard error. */
function startFailure(error: unknown): OperatorError {
  const gone = error instanceof PeerGoneError;
  const message = error instanceof Error ? error.message : String(error);
  return new OperatorError(gone ? 'a worker process ended while it started' : message, { cause: error });
}

/** The text of /metrics over all workers; one that dies or does not answer is left out. */
async function addUp(members: readonly Member[]): Promise<string> {
  const late = delay(COLLECT_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new PeerGoneError();
  });
  const collected = await Promise.allSettled(
    members.map(({ peer }) => Promise.race([peer.call('collect', null), late])),
  );
  const metrics = collected.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  return AggregatorRegistry.aggregate(metrics).metrics();
}
