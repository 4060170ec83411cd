import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Host, NoPrimaryError } from './ask.ts';

/** The pause before a server is asked again. */
const PAUSE_MS = 200;
/** How long the next server waits for the answer of the one before it, the first time. */
const HEAD_START_MS = 250;
/** The search ends if nobody has waited for its result for this long. */
const IDLE_MS = 5_000;

interface Waiter {
  readonly resolve: (host: Host) => void;
  readonly reject: (error: NoPrimaryError) => void;
  /** The servers that have not answered since it waits. */
  readonly missing: Set<Host>;
}

/** A search for the primary among several servers. */
export interface Search {
  /** Resolves with the primary. Throws NoPrimaryError once every server was asked and none is. */
  next(): Promise<Host>;
}

interface SearchEvents {
  /** The primary is found: the search is over. */
  found(host: Host): void;
  /** Nobody waits for the result: the search is over. */
  ended(): void;
}

/**
 * Asks the servers in turn, and then again, each one apart, until one is the primary. So a server that swallows packets
 * delays the others by HEAD_START_MS, once.
 */
export function startSearch(hosts: readonly Host[], { found, ended }: SearchEvents): Search {
  const waiters = new Set<Waiter>();
  const reasons = new Map<Host, Error>();
  let waitedMs = performance.now();
  let over = false;

  const refused = (host: Host, reason: Error): void => {
    reasons.set(host, reason);
    for (const waiter of waiters) {
      waiter.missing.delete(host);
      if (waiter.missing.size > 0) continue;
      waiters.delete(waiter);
      waiter.reject(new NoPrimaryError(hosts, reasons));
    }
  };
  const succeeded = (host: Host): void => {
    over = true;
    found(host);
    for (const { resolve } of waiters) resolve(host);
  };
  const isIdle = (): boolean => {
    const nowMs = performance.now();
    if (waiters.size > 0) waitedMs = nowMs;
    return nowMs - waitedMs > IDLE_MS;
  };
  const askOnce = async (host: Host): Promise<void> => {
    try {
      await ask(host);
      if (!over) succeeded(host);
    } catch (error) {
      if (!over) refused(host, error as Error);
    }
  };
  const askAgain = async (host: Host): Promise<void> => {
    while (!over) {
      if (isIdle()) {
        over = true;
        ended();
        return;
      }
      await delay(PAUSE_MS, undefined, { ref: false });
      if (!over) await askOnce(host);
    }
  };
  const askInTurn = async (): Promise<void> => {
    for (const host of hosts) {
      if (over) return;
      const first = askOnce(host);
      void first.then(() => askAgain(host));
      await Promise.race([first, delay(HEAD_START_MS, undefined, { ref: false })]);
    }
  };
  void askInTurn();

  return {
    next() {
      const { promise, resolve, reject } = Promise.withResolvers<Host>();
      waiters.add({ resolve, reject, missing: new Set(hosts) });
      return promise;
    },
  };
}
