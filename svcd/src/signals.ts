import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * A signal within this time after the first is the same key press: the terminal signals the whole process group, and npm
 * passes its signal on.
 */
const ECHO_MS = 1_000;
/** SIGHUP means that the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** By convention, the exit code after a signal is 128 plus the number of the signal. */
const SIGNAL_BASE = 128;

export const signalExitCode = (signal: NodeJS.Signals): number => SIGNAL_BASE + constants.signals[signal];

export interface Signals {
  /** Resolves with the first SIGINT, SIGTERM or SIGHUP. */
  readonly first: Promise<NodeJS.Signals>;
  /** Aborts at the first signal. */
  readonly abort: AbortSignal;
  /** Resolves with the second signal, unless it is a repetition of the first by npm. */
  readonly second: Promise<NodeJS.Signals>;
}

/** Handles SIGINT, SIGTERM and SIGHUP from now on, so that they no longer end the process. */
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
