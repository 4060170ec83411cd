import { SvcApiError, SvcError, SvcIdempotencyInProgressError, SvcKeyError } from '../errors.ts';
import { checkedRetries, checkedTimeout } from '../number.ts';
import { checkedSignal, type Signal } from '../signal.ts';
import { type Answer, type Expected, readAnswer } from './answer.ts';
import { type Attempt, type ExchangeOptions, exchange } from './exchange.ts';
import { type HeadersInput, joinCallHeaders, joinHeaders } from './headers.ts';
import { limited } from './limited.ts';
import { type OpenBody, openBody } from './open-body.ts';
import { retryDelayMs, type Timing } from './retry.ts';

/** The names of {@link CallOptions}. */
export const CALL_OPTIONS = [
  'signal',
  'timeoutMs',
  'retries',
  'headers',
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
  /**
   * Further request headers. They replace those of the client with the same name. Upper and lower case do not matter.
   * @default the `defaultHeaders` of the client
   */
  readonly headers?: HeadersInput | undefined;
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
export interface Call {
  readonly method: string;
  /** The path from `/v1` on, with the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * What the body of a successful response must be.
   * @default 'anything'
   */
  readonly expected?: Expected;
  /**
   * An error status that means success if the outcome of an earlier attempt is unknown: that attempt was carried out.
   */
  readonly statusIfAlreadyDone?: number;
  /** Called if an attempt failed but the service may have carried it out. */
  readonly onOutcomeUnknown?: () => void;
}

export interface TransportOptions extends Omit<ExchangeOptions, 'now'> {
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

/**
 * Sends calls with retries. Resolves with a successful response; throws the last error otherwise. If the last error only
 * says that the condition of the request is false, and an earlier attempt may have made it false, it throws the error of
 * that attempt.
 */
export interface Transport {
  send(call: Call, options?: CallOptions): Promise<Answer>;
  /**
   * Makes one attempt at a call whose response is a stream of events. Resolves with its body when the headers have
   * arrived. Each read of the body may take `silenceMs`.
   */
  open(
    call: Call,
    options: CallOptions & { readonly silenceMs: number; readonly mediaType?: string },
  ): Promise<OpenBody>;
  /** Pauses before the next attempt. Throws the error if a retry cannot help or none is left. */
  pause(call: Call, failed: FailedAttempt, options: CallOptions): Promise<void>;
  readonly timing: Timing;
  /** Time limit of an attempt if the call has none. */
  readonly timeoutMs: number;
}

export function createTransport(options: TransportOptions): Transport {
  const { timing, onRetry, baseUrl, log } = options;
  const sending = { ...options, now: () => timing.now() };
  const headersOf = (call: Call, own: HeadersInput | undefined): Record<string, string> =>
    joinHeaders(options.headers, joinCallHeaders(call.headers ?? {}, own));
  const logFailure = ({ method, path }: Call, { message }: SvcError): void =>
    log.write('error', `${method} ${path} failed: ${message}`, { method, path });
  const pause: Transport['pause'] = async (call, { error, failures, pauseMs = 0 }, { signal, retries }) => {
    const { method, path, headers = {} } = call;
    if (signal?.aborted === true || !(error instanceof SvcError)) throw error;
    error.request ??= { method, path };
    const repeatable = isRepeatable(method, headers) || call.statusIfAlreadyDone !== undefined;
    const ownMs = retryDelayMs({ error, failures, repeatable }, timing.random);
    if (ownMs === undefined || failures > (retries ?? options.retries)) {
      logFailure(call, error);
      throw error;
    }
    const delayMs = Math.max(ownMs, pauseMs);
    log.write('warn', `${method} ${path} is retried in ${Math.round(delayMs)} ms: ${error.message}`, {
      method,
      path,
    });
    onRetry?.({ method, path, error, failures, delayMs });
    await timing.sleep(delayMs, signal);
  };
  return {
    timing,
    timeoutMs: options.timeoutMs,
    pause,
    async send(
      call,
      { signal, timeoutMs = options.timeoutMs, retries = options.retries, headers: own } = {},
    ) {
      const headers = headersOf(call, own);
      checkCall(call);
      checkedSignal(signal);
      checkedTimeout(timeoutMs);
      checkedRetries(retries);
      /** The first failed attempt that the service may have carried out. */
      let unknown: { readonly error: unknown } | undefined;
      for (let failures = 0; ; ) {
        signal?.throwIfAborted();
        try {
          return await limited((stop) => answerTo({ ...call, headers }, call.expected, sending, stop), {
            baseUrl,
            timeoutMs,
            signal,
          });
        } catch (error) {
          if (unknown !== undefined && error instanceof SvcApiError) {
            if (error.status === call.statusIfAlreadyDone)
              return { status: error.status, headers: error.headers, body: undefined };
            if (error.status === PRECONDITION_FAILED && changesItsCondition(call.method, headers)) {
              if (unknown.error instanceof SvcError) logFailure(call, unknown.error);
              throw unknown.error;
            }
          }
          if (isOutcomeUnknown(error)) unknown ??= { error };
          if (unknown !== undefined) call.onOutcomeUnknown?.();
          failures += 1;
          await pause(call, { error, failures }, { signal, retries });
        }
      }
    },
    async open(
      call,
      {
        signal,
        timeoutMs = options.timeoutMs,
        retries = options.retries,
        silenceMs,
        mediaType,
        headers: own,
      },
    ) {
      const headers = headersOf(call, own);
      checkedTimeout(timeoutMs);
      checkedRetries(retries);
      return openBody((stop) => exchange({ ...call, headers }, sending, stop), {
        baseUrl,
        timeoutMs,
        silenceMs,
        ...(mediaType === undefined ? {} : { mediaType }),
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
  error instanceof SvcApiError
    ? error.status >= 500 || error instanceof SvcIdempotencyInProgressError
    : !(error instanceof SvcKeyError);

const PRECONDITION_FAILED = 412;

/**
 * Whether a request that was carried out makes its own condition false, and the service does not repeat the response. It
 * ignores the idempotency key of a PATCH.
 */
const changesItsCondition = (method: string, headers: Readonly<Record<string, string>>): boolean =>
  method === 'PATCH' || (method === 'PUT' && !isRepeatable(method, headers));

const BODILESS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request with this method may have a body. `fetch` allows none with GET and HEAD. */
export const mayHaveBody = (method: string): boolean => !BODILESS.includes(method.toUpperCase());

/** Throws {@link SvcError} on what `fetch` would refuse. The error of `fetch` would look like a network failure. */
function checkCall({ method, body }: Call): void {
  if (!/^[A-Za-z]+$/.test(method)) throw new SvcError(`${JSON.stringify(method)} is not an HTTP method.`);
  if (body !== undefined && !mayHaveBody(method)) throw new SvcError(`A ${method} request has no body.`);
}

async function answerTo(
  attempt: Attempt,
  expected: Expected | undefined,
  options: ExchangeOptions,
  signal: Signal,
): Promise<Answer> {
  const answer = await exchange(attempt, options, signal);
  return readAnswer(answer, await answer.text(), options.now(), expected);
}

/**
 * Whether a request has the same effect and response if it is sent again after the service has carried it out. A PUT with a
 * condition then changes nothing, and gets an error.
 */
const isRepeatable = (method: string, headers: Readonly<Record<string, string>>): boolean =>
  !mayHaveBody(method) ||
  'idempotency-key' in headers ||
  (method === 'PUT' && !('if-match' in headers) && !('if-none-match' in headers));
