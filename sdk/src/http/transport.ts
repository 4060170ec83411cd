import { SvcApiError, SvcError, SvcIdempotencyInProgressError, SvcTimeoutError } from '../errors.ts';
import { LONGEST_TIMER_MS } from '../number.ts';
import { checkedRetries, checkedTimeout } from '../options.ts';
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

/** What every call takes in addition to its own parameters. */
export interface CallOptions {
  /** Ends the call at once, with the signal's reason. */
  readonly signal?: Signal | undefined;
  /** Of one try, in milliseconds. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first one; Infinity never gives up. Default: the client's. */
  readonly retries?: number | undefined;
}

/** Tells of a failed try that is about to be repeated. */
export interface RetryEvent {
  readonly method: string;
  readonly path: string;
  readonly error: SvcError;
  /** Failed tries so far. */
  readonly failures: number;
  readonly delayMs: number;
}

/** One request, ready to be sent as often as it takes. */
export interface Call {
  readonly method: string;
  /** With the query, from `/v1` on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** A failure status that, after a try whose fate is unknown, says that this try had been carried out. */
  readonly statusIfAlreadyDone?: number;
  /** Called when a try failed and may have been carried out nevertheless. */
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

/** Sends calls; resolves with a success or throws. */
export interface Transport {
  send(call: Call, options?: CallOptions): Promise<Answer>;
  readonly timing: Timing;
}

const DONE: Answer = { status: 204, headers: { get: () => null }, body: undefined };

export function createTransport(options: TransportOptions): Transport {
  const { timing, onRetry } = options;
  return {
    timing,
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

/** Whether a request that failed so may have been carried out: by this try, or by an earlier one that still runs. */
const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof SvcApiError) || error.status >= 500 || error instanceof SvcIdempotencyInProgressError;

const BODILESS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request of the method may have a body: `fetch` sends none with these. */
export const mayHaveBody = (method: string): boolean => !BODILESS.includes(method.toUpperCase());

/** Refuses what `fetch` would refuse too, but in the same words as a fault of the network. */
function checkCall({ method, body }: Call): void {
  if (!/^[A-Za-z]+$/.test(method)) throw new SvcError(`${JSON.stringify(method)} is not a method of HTTP.`);
  if (body !== undefined && !mayHaveBody(method)) throw new SvcError(`A ${method} request has no body.`);
}

/** One try. It ends with the signal or the time-out even when `fetch` heeds neither. */
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
      if (!isAnswer(answer)) throw new SvcError("The client's `fetch` gave no Response.");
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

/** A `fetch` of the caller may give anything. */
function isAnswer(answer: unknown): answer is FetchAnswer {
  const { status, headers, text }: Partial<Readonly<Record<string, unknown>>> = Object(answer);
  return (
    typeof status === 'number' && typeof Object(headers).get === 'function' && typeof text === 'function'
  );
}
