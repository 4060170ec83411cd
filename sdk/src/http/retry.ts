import { SvcApiError, SvcIdempotencyInProgressError, SvcNetworkError, SvcTimeoutError } from '../errors.ts';
import type { Signal } from '../signal.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A Retry-After beyond this, such as that of a used-up month's quota, is the caller's to wait for. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses after which the same request may succeed: the service's own, and those of proxies ahead of it. */
const RETRIED_STATUSES: readonly number[] = [408, 429, 502, 503, 504];

/** Time and chance, so that tests can pass their own. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: Signal | undefined): Promise<void>;
  /** From 0 up to, but not including, 1. */
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

/**
 * How long to wait before the try after `failures` failed ones; undefined when another try cannot help. The back-off
 * doubles, half of it by chance. `Retry-After` is waited for in full.
 */
export function retryDelayMs(error: unknown, failures: number, random: () => number): number | undefined {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  const backOff = (ceiling / 2) * (1 + random());
  if (error instanceof SvcNetworkError || error instanceof SvcTimeoutError) return backOff;
  if (!(error instanceof SvcApiError)) return undefined;
  const { status, retryAfterMs } = error;
  if (!RETRIED_STATUSES.includes(status) && !(error instanceof SvcIdempotencyInProgressError))
    return undefined;
  if (retryAfterMs === undefined) return backOff;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
  return retryAfterMs + (backOff - ceiling / 2);
}

/** `Retry-After` as milliseconds from now: seconds, or a date (RFC 9110). */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
