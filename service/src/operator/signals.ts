import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';

/** npm passes on a signal that the terminal has sent to the whole group already: one key press, two signals. */
const ECHO_MS = 1_000;
/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** By convention a process that a signal has ended says so with 128 and its number. */
const SIGNAL_BASE = 128;

export const signalExitCode = (signal: NodeJS.Signals): number => SIGNAL_BASE + constants.signals[signal];

export interface Signals {
  /** Resolves with the first SIGINT, SIGTERM or SIGHUP. */
  readonly first: Promise<NodeJS.Signals>;
  /** Aborts with it. */
  readonly abort: AbortSignal;
  /** Resolves with one that comes after the first and is no echo of it: whoever sends it is done waiting. */
  readonly second: Promise<NodeJS.Signals>;
}

/** Watches these signals from now on; they no longer end the process by themselves. */
export function watchSignals(): Signals {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  const aborted = new AbortController();
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      first.resolve(signal);
      aborted.abort();
    } else if (performance.now() - firstAt > ECHO_MS) {
      second.resolve(signal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, receive);
  return { first: first.promise, second: second.promise, abort: aborted.signal };
}
