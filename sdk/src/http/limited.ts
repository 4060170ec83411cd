import { SvcTimeoutError } from '../errors.ts';
import { LONGEST_TIMER_MS } from '../number.ts';
import type { Signal } from '../signal.ts';
import { failedFetch } from './failed-fetch.ts';

export interface Limits {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly signal: Signal | undefined;
}

/** The part of an `AbortController` that is used here. A runtime without its types compiles too. */
interface Controller {
  readonly signal: Signal;
  abort(reason?: unknown): void;
}

/**
 * Settles like `work`, or rejects on abort and on timeout, even if a custom `fetch` ignores its signal. Then it aborts
 * `controller`, whose signal `work` gets. An error of `fetch` becomes an `SvcError`.
 */
export function limited<T>(
  work: (signal: Signal) => Promise<T>,
  { baseUrl, timeoutMs, signal }: Limits,
  controller: Controller = new AbortController(),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      reject(reason);
      controller.abort(reason);
    };
    const aborted = (): void => stop(signal?.reason);
    signal?.addEventListener('abort', aborted);
    const timer =
      timeoutMs <= LONGEST_TIMER_MS
        ? setTimeout(() => stop(new SvcTimeoutError(timeoutMs)), timeoutMs)
        : undefined;
    if (signal?.aborted === true) aborted();
    work(controller.signal)
      .then(resolve, (error: unknown) => reject(failedFetch(error, baseUrl)))
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      });
  });
}
