import { ERRORS, type ErrorContract } from '../contract/index.ts';
import { SvcApiError, SvcKeyError, SvcNetworkError, SvcTimeoutError } from '../errors.ts';
import type { Signal } from '../signal.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/**
 * The longest Retry-After that the client waits for. A longer one, such as after a used-up monthly quota, fails the
 * call.
 */
const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses after which the same request can succeed, for responses without a known code, such as those of a proxy. */
const RETRYABLE_STATUSES: readonly number[] = [408, 429, 502, 503, 504];

/** Of the service, and of a proxy that has no code. */
const INTERNAL_ERRORS: readonly string[] = ['internal_error', 'unknown'];

function isRetryable({ code, status }: SvcApiError, repeatable: boolean): boolean {
  if (status === 500 && INTERNAL_ERRORS.includes(code)) return repeatable;
  const errors: Readonly<Record<string, ErrorContract>> = ERRORS;
  return Object.hasOwn(errors, code) ? errors[code]?.retryable === true : RETRYABLE_STATUSES.includes(status);
}

/** Clock, pauses and randomness. Tests pass their own. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. Rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal: Signal | undefined): Promise<void>;
  /** A random number from 0 to 1, excluding 1. */
  random(): number;
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      };
      const aborted = (): void => {
        end();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        end();
        resolve();
      }, ms);
      signal?.addEventListener('abort', aborted);
      if (signal?.aborted === true) aborted();
    }),
};

/** Failures without a response, after which the same request can succeed. */
const PASSING = [SvcNetworkError, SvcTimeoutError, SvcKeyError] as const;

/** A failed attempt. */
interface Failed {
  readonly error: unknown;
  /** Number of failed attempts so far. */
  readonly failures: number;
  /** Whether the request may be sent again even if the service has carried it out. Only then a 500 is retried. */
  readonly repeatable: boolean;
}

/**
 * The pause before the next attempt; undefined if a retry cannot help. The pause doubles with each failure, and half of it
 * is random. With `Retry-After`, the pause is at least that long.
 */
export function retryDelayMs(
  { error, failures, repeatable }: Failed,
  random: () => number,
): number | undefined {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  const backOff = (ceiling / 2) * (1 + random());
  if (PASSING.some((each) => error instanceof each)) return backOff;
  if (!(error instanceof SvcApiError) || !isRetryable(error, repeatable)) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return backOff;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
  return retryAfterMs + (backOff - ceiling / 2);
}

/**
 * Converts `Retry-After`, which is seconds or a date (RFC 9110), to milliseconds from now; undefined if it is
 * neither.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
