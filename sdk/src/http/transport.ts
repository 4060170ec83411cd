import { SvcApiError, SvcError, SvcIdempotencyInProgressError } from '../errors.ts';
import { checkedRetries, checkedTimeout } from '../number.ts';
import { checkedSignal, type Signal } from '../signal.ts';
import { type Answer, readAnswer } from './answer.ts';
import type { Fetch, FetchAnswer } from './fetch.ts';
import { joinHeaders } from './headers.ts';
import { limited } from './limited.ts';
import { type OpenBody, openBody } from './open-body.ts';
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

/** A failed attempt at a call. */
interface FailedAttempt {
  readonly error: unknown;
  /** Number of failed attempts so far. */
  readonly failures: number;
  /**
   * The least pause, in milliseconds.
   * @default 0
   */
  readonly pauseMs?: number;
}

/** Sends calls with retries. Resolves with a successful response; throws the last error otherwise. */
export interface Transport {
  send(call: Call, options?: CallOptions): Promise<Answer>;
  /**
   * Makes one attempt at a call whose response is a stream of events. Resolves with its body when the headers have
   * arrived. Each read of the body may take `silenceMs`.
   */
  open(call: Call, options: CallOptions & { readonly silenceMs: number }): Promise<OpenBody>;
  /** Pauses before the next attempt. Throws the error if a retry cannot help or none is left. */
  pause(call: Call, failed: FailedAttempt, options: CallOptions): Promise<void>;
  readonly timing: Timing;
  /** Time limit of an attempt if the call has none. */
  readonly timeoutMs: number;
}

const DONE: Answer = { status: 204, headers: { get: () => null }, body: undefined };

export function createTransport(options: TransportOptions): Transport {
  const { timing, onRetry, baseUrl } = options;
  const headersOf = (call: Call): Record<string, string> => joinHeaders(options.headers, call.headers ?? {});
  const pause: Transport['pause'] = async (call, { error, failures, pauseMs = 0 }, { signal, retries }) => {
    const allowed = retries ?? options.retries;
    if (signal?.aborted === true || !(error instanceof SvcError) || failures > allowed) throw error;
    const ownMs = retryDelayMs(error, failures, timing.random);
    if (ownMs === undefined) throw error;
    const delayMs = Math.max(ownMs, pauseMs);
    onRetry?.({ method: call.method, path: call.path, error, failures, delayMs });
    await timing.sleep(delayMs, signal);
  };
  return {
    timing,
    timeoutMs: options.timeoutMs,
    pause,
    async send(call, { signal, timeoutMs = options.timeoutMs, retries = options.retries } = {}) {
      const headers = headersOf(call);
      checkCall(call);
      checkedSignal(signal);
      checkedTimeout(timeoutMs);
      checkedRetries(retries);
      let outcomeUnknown = false;
      for (let failures = 0; ; ) {
        signal?.throwIfAborted();
        try {
          return await limited((own) => answerTo({ ...call, headers }, options, own), {
            baseUrl,
            timeoutMs,
            signal,
          });
        } catch (error) {
          if (outcomeUnknown && error instanceof SvcApiError && error.status === call.statusIfAlreadyDone)
            return DONE;
          outcomeUnknown ||= isOutcomeUnknown(error);
          if (outcomeUnknown) call.onOutcomeUnknown?.();
          failures += 1;
          await pause(call, { error, failures }, { signal, retries });
        }
      }
    },
    async open(call, { signal, timeoutMs = options.timeoutMs, retries = options.retries, silenceMs }) {
      const headers = headersOf(call);
      checkedTimeout(timeoutMs);
      checkedRetries(retries);
      return openBody((own) => exchange({ ...call, headers }, options, own), {
        baseUrl,
        timeoutMs,
        silenceMs,
        signal,
        nowMs: timing.now(),
      });
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

type SentCall = Call & { readonly headers: Record<string, string> };

async function answerTo(call: SentCall, options: TransportOptions, signal: Signal): Promise<Answer> {
  const answer = await exchange(call, options, signal);
  return readAnswer(answer, await answer.text(), options.timing.now());
}

/** Sends a call once. Resolves when the headers of the response have arrived. */
async function exchange(
  { method, path, headers, body }: SentCall,
  { fetch, baseUrl }: TransportOptions,
  signal: Signal,
): Promise<FetchAnswer> {
  const answer: unknown = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
    redirect: 'manual',
  });
  if (!isAnswer(answer)) throw new SvcError("The client's `fetch` did not return a Response.");
  return answer;
}

/** A custom `fetch` may return anything. */
function isAnswer(answer: unknown): answer is FetchAnswer {
  const { status, headers, text }: Partial<Readonly<Record<string, unknown>>> = Object(answer);
  return (
    typeof status === 'number' && typeof Object(headers).get === 'function' && typeof text === 'function'
  );
}
