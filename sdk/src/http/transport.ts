import { SvcApiError, SvcError, SvcIdempotencyInProgressError, SvcTimeoutError } from '../errors.ts';
import { checkedRetries, checkedTimeout, LONGEST_TIMER_MS } from '../number.ts';
import { checkedSignal, type Signal } from '../signal.ts';
import { type Answer, readAnswer } from './answer.ts';
import { failedFetch } from './failed-fetch.ts';
import type { Fetch, FetchAnswer } from './fetch.ts';
import { joinHeaders } from './headers.ts';
import { retryDelayMs, type Timing } from './retry.ts';

/** The names of {@link CallOptions}. */
export const CALL_OPTIONS = [
  'signal',
  'timeoutMs',
  'retries',
] as const satisfies readonly (keyof CallOptions)[];

/** Options that every method accepts. */
export interface CallOptions {
  /** Aborts the call immediately. The call then throws the signal's reason. */
  readonly signal?: Signal | undefined;
  /**
   * Time limit of one attempt, in milliseconds. `Infinity` means no limit.
   * @default the `timeoutMs` of the client
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of retries. `Infinity` retries without end.
   * @default the `retries` of the client
   */
  readonly retries?: number | undefined;
}

/** Describes a failed attempt that the client is about to retry. */
export interface RetryEvent {
  readonly method: string;
  readonly path: string;
  readonly error: SvcError;
  /** Number of failed attempts so far. */
  readonly failures: number;
  readonly delayMs: number;
}

/** A request, which may be sent more than once. */
interface Call {
  readonly method: string;
  /** The path from `/v1` on, with the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * An error status that means success if the outcome of an earlier attempt is unknown: that attempt was carried out.
   */
  readonly statusIfAlreadyDone?: number;
  /** Called if an attempt failed but the service may have carried it out. */
  readonly onOutcomeUnknown?: () => void;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly timing: Timing;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

/** Sends calls with retries. Resolves with a successful response; throws the last error otherwise. */
export interface Transport {
  send(call: Call, options?: CallOptions): Promise<Answer>;
  readonly timing: Timing;
  /** Time limit of an attempt if the call has none. */
  readonly timeoutMs: number;
}

const DONE: Answer = { status: 204, headers: { get: () => null }, body: undefined };

export function createTransport(options: TransportOptions): Transport {
  const { timing, onRetry } = options;
  return {
    timing,
    timeoutMs: options.timeoutMs,
    async send(call, { signal, timeoutMs = options.timeoutMs, retries = options.retries } = {}) {
      const headers = joinHeaders(options.headers, call.headers ?? {});
      checkCall(call);
      checkedSignal(signal);
      checkedTimeout(timeoutMs);
      checkedRetries(retries);
      let outcomeUnknown = false;
      for (let failures = 0; ; ) {
        signal?.throwIfAborted();
        try {
          return await attempt({ ...call, headers }, options, timeoutMs, signal);
        } catch (error) {
          if (outcomeUnknown && error instanceof SvcApiError && error.status === call.statusIfAlreadyDone)
            return DONE;
          outcomeUnknown ||= isOutcomeUnknown(error);
          if (outcomeUnknown) call.onOutcomeUnknown?.();
          failures += 1;
          if (signal?.aborted === true || !(error instanceof SvcError) || failures > retries) throw error;
          const delayMs = retryDelayMs(error, failures, timing.random);
          if (delayMs === undefined) throw error;
          onRetry?.({ method: call.method, path: call.path, error, failures, delayMs });
          await timing.sleep(delayMs, signal);
        }
      }
    },
  };
}

/**
 * Whether the service may have carried out the failed request, in this attempt or in an earlier one that still runs.
 */
const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof SvcApiError) || error.status >= 500 || error instanceof SvcIdempotencyInProgressError;

const BODILESS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request with this method may have a body. `fetch` allows none with GET and HEAD. */
export const mayHaveBody = (method: string): boolean => !BODILESS.includes(method.toUpperCase());

/** Throws {@link SvcError} on what `fetch` would refuse. The error of `fetch` would look like a network failure. */
function checkCall({ method, body }: Call): void {
  if (!/^[A-Za-z]+$/.test(method)) throw new SvcError(`${JSON.stringify(method)} is not an HTTP method.`);
  if (body !== undefined && !mayHaveBody(method)) throw new SvcError(`A ${method} request has no body.`);
}

/** Makes one attempt. It ends on abort and on timeout, even if a custom `fetch` ignores its signal. */
function attempt(
  { method, path, headers, body }: Call & { readonly headers: Record<string, string> },
  options: TransportOptions,
  timeoutMs: number,
  signal: Signal | undefined,
): Promise<Answer> {
  const controller = new AbortController();
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
    const exchange = async (): Promise<Answer> => {
      const answer: unknown = await options.fetch(`${options.baseUrl}${path}`, {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        signal: controller.signal,
        redirect: 'manual',
      });
      if (!isAnswer(answer)) throw new SvcError("The client's `fetch` did not return a Response.");
      return readAnswer(answer, await answer.text(), options.timing.now());
    };
    exchange()
      .then(resolve, (error: unknown) => reject(failedFetch(error, options.baseUrl)))
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
      });
  });
}

/** A custom `fetch` may return anything. */
function isAnswer(answer: unknown): answer is FetchAnswer {
  const { status, headers, text }: Partial<Readonly<Record<string, unknown>>> = Object(answer);
  return (
    typeof status === 'number' && typeof Object(headers).get === 'function' && typeof text === 'function'
  );
}
