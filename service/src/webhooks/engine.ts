import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SecretSealer } from '@svc/deployment-secrets/sealed';
import type { Queryable } from '@svc/turns/lane';
import type { SendResult, WebhookRequest } from '@svc/webhook-sender';
import type { Logger } from 'pino';
import { WAIT_READ_PAUSE_MS } from '../config/limits.ts';
import type { Clock } from '../config/time.ts';
import { detectDistribution } from '../database/citus/detect.ts';
import type { ChangeSignals } from '../signals/signals.ts';
import {
  LEASE_SECONDS,
  type Lease,
  releaseDisabledEndpoint,
  releaseLeases,
  renewLeases,
  takeFreeEndpoints,
} from './leases.ts';
import { newRoundState, type RoundOptions, runRound } from './round.ts';

export interface EngineOptions {
  readonly connections: Queryable;
  readonly sealer: SecretSealer;
  readonly send: (request: WebhookRequest) => Promise<SendResult>;
  readonly signals: Pick<ChangeSignals, 'watch'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now: Clock;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  /** How long an endpoint without changes waits at most before it is looked at again. Default: {@link LOOK_AGAIN_MS}. */
  readonly lookAgainMs?: number;
}

/** Delivers the changes of all workspaces to their endpoints, together with the engines of other nodes. */
export interface Engine {
  /** Lets running deliveries end, for a few seconds, and gives the endpoints to other nodes. */
  readonly stop: () => Promise<void>;
}

/** How often free endpoints are looked for, and leases are renewed. */
const TICK_MS = 2_000;
/** The pause of an endpoint after a failure of the database. */
const FAILURE_PAUSE_MS = 2_000;
/** How long deliveries may run on after `stop`. */
const STOP_MS = 5_000;
/** A lease is not used in its last seconds: the clock of the database runs on while a statement is on its way. */
const LEASE_MARGIN_SECONDS = 5;
/**
 * The signal of a test event, of a replay or of changed settings may be lost, and nothing else replaces it. With 1,000
 * endpoints, a minute means 50 short statements per second.
 */
const LOOK_AGAIN_MS = 60_000;

interface Runner {
  readonly lease: Lease;
  /** No delivery begins at this time of `performance.now()` or later. */
  heldUntilMs: number;
  /** Ends it: no delivery begins any more. */
  readonly end: () => void;
  readonly done: Promise<void>;
}

export function startEngine(options: EngineOptions): Engine {
  const { connections, log } = options;
  const process = randomUUID();
  const isDistributed = detectDistribution();
  let taken = 0;
  const ending = new AbortController();
  const cut = new AbortController();
  /** Also those whose lease has ended while they were sending. */
  const runners = new Set<Runner>();

  const tick = async (): Promise<void> => {
    // The lease is at least as long as from before the statement.
    const heldUntilMs = performance.now() + (LEASE_SECONDS - LEASE_MARGIN_SECONDS) * 1000;
    const held = [...runners];
    const leases = held.map(({ lease }) => lease);
    const inCluster = await isDistributed(connections);
    const kept = held.length === 0 ? [] : await renewLeases(connections, leases, inCluster);
    const renewals = new Map(kept.map((lease) => [nameOf(lease), lease.renewed]));
    for (const runner of held) {
      const renewed = renewals.get(nameOf(runner.lease));
      if (renewed === true) runner.heldUntilMs = heldUntilMs;
      else if (renewed === undefined) runner.end();
    }
    for (const lease of await takeFreeEndpoints(connections, `${process} ${++taken}`, inCluster))
      begin(lease, heldUntilMs);
  };
  const begin = (lease: Lease, heldUntilMs: number): void => {
    const own = { lease, heldUntilMs, ending: ending.signal, cut: cut.signal };
    const runner = startRunner(options, own, () => runners.delete(runner));
    runners.add(runner);
  };
  const run = async (): Promise<void> => {
    let failing = false;
    while (!ending.signal.aborted) {
      try {
        await tick();
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'webhooks cannot be delivered now; trying again');
        failing = true;
      }
      await pause(TICK_MS, ending.signal);
    }
  };
  const running = run();
  return {
    async stop() {
      ending.abort();
      const timer = setTimeout(() => cut.abort(), STOP_MS);
      await running;
      await Promise.all([...runners].map(({ done }) => done));
      clearTimeout(timer);
      await releaseLeases(connections, process).catch((error) =>
        log.warn({ err: error }, 'the webhooks of this node wait until its leases end'),
      );
    },
  };
}

const nameOf = ({ workspaceId, id, owner }: Lease): string => `${workspaceId} ${id} ${owner}`;

interface RunnerOptions extends Pick<RoundOptions, 'ending' | 'cut'> {
  readonly lease: Lease;
  readonly heldUntilMs: number;
}

/** Runs the rounds of an endpoint while its lease lasts: at each change of its workspace, and when a delivery is due. */
function startRunner(
  options: EngineOptions,
  { lease, heldUntilMs, ...own }: RunnerOptions,
  onEnd: () => unknown,
): Runner {
  const { signals, log, lookAgainMs = LOOK_AGAIN_MS } = options;
  const { owner, ...key } = lease;
  const end = new AbortController();
  const ending = AbortSignal.any([own.ending, end.signal]);
  const waiter = createWaiter();
  ending.addEventListener('abort', waiter.wake);
  const unwatch = signals.watch(key.workspaceId, { onChange: waiter.wake, onKeys: () => undefined });
  const runner = { lease, heldUntilMs, end: () => end.abort(), done: Promise.resolve() };
  const isHeld = (): boolean => performance.now() < runner.heldUntilMs;
  const state = newRoundState();

  const run = async (): Promise<void> => {
    let failing = false;
    while (!ending.aborted && isHeld()) {
      // A change that comes during the round starts another one.
      waiter.reset();
      try {
        const round = await runRound({ ...options, ...own, key, owner, ending, isHeld }, state);
        failing = false;
        if (round.kind === 'ended') {
          if (round.disabled !== undefined)
            log.info({ ...key, reason: round.disabled }, 'a webhook endpoint was disabled');
          return;
        }
        if (round.kind === 'pause') await pause(WAIT_READ_PAUSE_MS, ending);
        if (round.kind === 'wait') await waiter.wait(Math.min(round.ms ?? lookAgainMs, lookAgainMs));
      } catch (error) {
        if (!failing)
          log.warn({ err: error, ...key }, 'a webhook endpoint cannot be served now; trying again');
        failing = true;
        await pause(FAILURE_PAUSE_MS, ending);
      }
    }
  };
  // When the engine stops, it gives all leases back at once. If this fails, the lease ends by itself.
  const giveBack = async (): Promise<void> => {
    if (own.ending.aborted) return;
    await releaseDisabledEndpoint(options.connections, lease).catch(() => undefined);
  };
  runner.done = run()
    .then(giveBack)
    .finally(() => {
      unwatch();
      onEnd();
    });
  return runner;
}

interface Waiter {
  /** Resolves at the first `wake` since the last `reset`, or after `ms`. */
  readonly wait: (ms: number) => Promise<void>;
  readonly wake: () => void;
  readonly reset: () => void;
}

function createWaiter(): Waiter {
  let woken = false;
  let resume = (): void => undefined;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (woken) return resolve();
        const timer = setTimeout(resolve, ms);
        resume = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake() {
      woken = true;
      resume();
    },
    reset() {
      woken = false;
    },
  };
}

/** Resolves after `ms`, or when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
