import cluster, { type Worker } from 'node:cluster';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectPeer, type Peer, PeerGoneError } from '@svc/process-calls';
import { createCrashLimit } from '@svc/process-calls/crash-limit';
import { closePassedConnections } from '@svc/process-calls/passed-connections';
import type { Limiter } from '@svc/rate-limiter';
import { type Announcer, createAnnouncer } from '@svc/signals/announcer';
import { monitorCommits } from '@svc/telemetry/commits';
import type { ReadMetrics } from '@svc/telemetry/export';
import { logOutages, type Report } from '@svc/telemetry/outages';
import { createProcessMetrics } from '@svc/telemetry/process-metrics';
import type { Tracing } from '@svc/telemetry/tracing';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { errorMessage, OperatorError } from '../config/errors.ts';
import { SHUTDOWN_DEADLINE_MS } from '../config/limits.ts';
import type { PrimaryCalls, ServiceSettings, WorkerCalls } from './calls.ts';
import { portInUse } from './listen.ts';
import { type MachineWriter, openMachineWriter } from './machine-writer.ts';
import { throwToPeer } from './peer-failures.ts';
import { COMPILE_CACHE } from './process.ts';
import type { Serving } from './serve.ts';
import type { SignalHub } from './signal-hub.ts';

/** It has the extension of this module, because the packed service consists of JavaScript. */
const WORKER_PROGRAM = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
/** For less memory and fewer garbage collections (docs/decisions/0022-how-many-workers.md). */
const WORKER_FLAGS = [
  '--heap-growing-percent=40',
  '--max-semi-space-size=8',
  '--no-allocation-site-pretenuring',
  '--expose-gc',
];

/** The most free ports that are tried. Other programs may take each before a worker listens there. */
const PORTS_MAX = 10;
/** The metrics have the last answer of a worker that does not answer within this time. */
const COLLECT_TIMEOUT_MS = 1_000;
/** The most topics that wait for a worker that does not answer. Its waiting requests ask again anyway. */
const WAKE_TOPICS_MAX = 10_000;
/** A worker that does not exit is killed this long after the deadline of the shutdown, or after `cut`. */
const END_GRACE_MS = 3_000;

/** All workers together. */
interface ServingWorkers extends Serving {
  readonly settings: ServiceSettings;
  /** Resolves with the reason if they cannot continue. */
  readonly failed: Promise<Error>;
}

/** Forked processes that wait for their settings. */
export interface Workers {
  /**
   * Starts to serve in all processes. Throws OperatorError if one cannot start. `another`: the same settings with another
   * port, if the port is taken. Default: none.
   */
  readonly run: (
    settings: ServiceSettings,
    signals: SignalHub,
    tracing?: Tracing,
    another?: () => Promise<ServiceSettings>,
  ) => Promise<ServingWorkers>;
  /** The metrics of the primary. */
  readonly registry: Registry;
  /** The metrics of all processes. */
  readonly readMetrics: ReadMetrics;
  /** Logs that exports of any process begin to fail, or work again. */
  readonly reportExport: Report;
  readonly kill: () => void;
}

interface Member {
  readonly worker: Worker;
  readonly peer: Peer<WorkerCalls>;
  readonly wake: Announcer['announce'];
  /** Resolves when the process has ended, or could not be started. */
  readonly gone: Promise<void>;
}

/**
 * Forks processes that share one port. The primary aggregates their metrics, and replaces a worker that dies. For several
 * workers, it also keeps the limits, so that they are exact, and writes the audit entries, so that workers share commits.
 */
export function forkWorkers(
  count: number,
  parts: { readonly log: Logger; readonly limiter: Limiter },
): Workers {
  const { log, limiter } = parts;
  const reportExport = logOutages(log);
  const members = new Set<Member>();
  const crashes = createCrashLimit(count);
  const failed = Promise.withResolvers<Error>();
  let running: ServiceSettings | undefined;
  let ending = false;

  // The figures of the primary have names of their own: it serves no requests, and writes the entries of all workers.
  const primary = new Registry();
  collectDefaultMetrics({ register: primary, prefix: 'svc_primary_' });
  const metrics = createProcessMetrics<Member>(({ peer }) => peer.call('collect', null), COLLECT_TIMEOUT_MS);
  let writer: MachineWriter | undefined;
  let hub: SignalHub | undefined;
  const offered: PrimaryCalls = {
    append: (request) =>
      writer?.append(request).catch(throwToPeer) ??
      Promise.reject(new Error('The service does not run yet.')),
    take: ({ bucket, limit, windowMs, cost }) => limiter.take(bucket, limit, windowMs, cost),
    announce: (topics) => hub?.channel.send(topics),
    readMetrics: async () => `${await (await metrics.collect(members)).metrics()}${await primary.metrics()}`,
    reportExport,
  };
  cluster.setupPrimary({ exec: WORKER_PROGRAM, args: [], execArgv: [...WORKER_FLAGS, ...process.execArgv] });

  const fork = (): Member => {
    // The worker has the cache before its first module. Without it, that module, as TypeScript, loads a compiler of 17 MB.
    const worker = cluster.fork({ NODE_COMPILE_CACHE: COMPILE_CACHE, MALLOC_ARENA_MAX: '2' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const peer = connectPeer<WorkerCalls>(worker, offered);
    const wakes = createAnnouncer({
      send: (topics) => peer.call('wake', topics),
      pauseMs: 0,
      waitingMax: WAKE_TOPICS_MAX,
      onFailure: () => undefined,
    });
    const member = { worker, peer, wake: wakes.announce, gone: promise };
    members.add(member);
    closePassedConnections(worker);
    const gone = (outcome: string): void => {
      resolve();
      if (!members.delete(member)) return;
      void metrics.end(member);
      if (!ending && running !== undefined) void replace(worker, outcome, running);
    };
    worker.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
    // An unhandled error would end the primary. Causes: a connection was passed to a dying worker, or the process could
    // not be started, which emits no exit event.
    worker.on('error', (error) => {
      log.debug({ err: error }, 'the channel to a worker process failed');
      if (worker.process.pid === undefined) gone(error.message);
    });
    return member;
  };
  const replace = async (old: Worker, outcome: string, settings: ServiceSettings): Promise<void> => {
    log.error(
      { worker: old.process.pid, outcome },
      `a worker process died (${outcome}); a new one replaces it`,
    );
    const pauseMs = crashes.next();
    if (pauseMs === undefined) return failed.resolve(new OperatorError('worker processes die repeatedly'));
    await delay(pauseMs);
    if (ending) return;
    const { worker, peer } = fork();
    await serveIn(peer, settings).catch((error: unknown) => {
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
      log.warn({ worker: worker.process.pid }, 'a worker process does not exit; it is killed');
      worker.process.kill('SIGKILL');
    }, ms);
    worker.once('exit', () => clearTimeout(timer));
  };
  const end = ({ worker, peer, gone }: Member): Promise<void> => {
    killAfter(worker, SHUTDOWN_DEADLINE_MS + END_GRACE_MS);
    // Disconnect all workers at once: this closes the port, and connections already handed over arrive before the
    // message. If workers stopped to listen by themselves, the last one would pass connections back, which would then
    // hang (nodejs/node#21746). The channel of a worker stays open until its requests have ended.
    worker.disconnect();
    void peer.call('close', null).catch(() => undefined);
    return gone;
  };

  /** Ends the wait for the last audit entries: a database that does not answer must not delay the end. */
  const late = Promise.withResolvers<void>();
  const waitAtMost = (ms: number): void => void setTimeout(late.resolve, ms).unref();

  for (let i = 0; i < count; i++) fork();
  return {
    kill,
    reportExport,
    registry: primary,
    readMetrics: async () => [
      ...(await (await metrics.collect(members)).getMetricsAsJSON()),
      ...(await primary.getMetricsAsJSON()),
    ],
    async run(chosen, signals, tracing, another) {
      let settings = chosen;
      hub = signals;
      signals.subscribe((topics) => {
        for (const { wake } of members) topics.forEach(wake);
      });
      if (count > 1) writer = openMachineWriter(settings, log, monitorCommits(primary, tracing));
      try {
        if (members.size < count) throw new PeerGoneError();
        const peers = [...members].map(({ peer }) => peer);
        // Once one of them listens, the primary holds the port for all of them.
        const [first] = another === undefined ? [] : peers;
        for (let attempt = 1; first !== undefined && !(await first.call('run', settings)); attempt++) {
          if (another === undefined || attempt === PORTS_MAX) throw portInUse(settings.host, settings.port);
          log.debug({ port: settings.port }, 'another program has taken the free port; trying another one');
          settings = await another();
        }
        await Promise.all(peers.filter((peer) => peer !== first).map((peer) => serveIn(peer, settings)));
        if (members.size < count) throw new PeerGoneError();
      } catch (error) {
        kill();
        waitAtMost(END_GRACE_MS);
        await Promise.race([writer?.close(), late.promise]);
        throw startFailure(error);
      }
      running = settings;
      return {
        settings,
        failed: failed.promise,
        async close() {
          ending = true;
          waitAtMost(SHUTDOWN_DEADLINE_MS + END_GRACE_MS);
          await Promise.all([...members].map(end));
          await Promise.race([writer?.close(), late.promise]);
        },
        cut: () => {
          waitAtMost(END_GRACE_MS);
          for (const { worker, peer } of members) {
            killAfter(worker, END_GRACE_MS);
            void peer.call('cut', null).catch(() => undefined);
          }
        },
      };
    },
  };
}

async function serveIn(peer: Peer<WorkerCalls>, settings: ServiceSettings): Promise<void> {
  if (!(await peer.call('run', settings))) throw portInUse(settings.host, settings.port);
}

/** The error for the operator. A worker that cannot listen sends the reason; a worker that ends has printed the reason. */
function startFailure(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const gone = error instanceof PeerGoneError;
  const reason = gone ? 'a worker process ended while it started' : errorMessage(error);
  return new OperatorError(reason, { cause: error });
}
