import { SvcError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import type { Fetch, FetchAnswer, FetchInit, FetchOptions } from './fetch.ts';
import type { KeySource } from './keys.ts';
import { headersOf, type Log } from './log.ts';

/** One attempt at a request. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  /** With names in lower case. An `authorization` here is sent instead of the API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ExchangeOptions {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly fetchOptions: FetchOptions | undefined;
  readonly keys: KeySource;
  readonly log: Log;
  /** The time in milliseconds. */
  readonly now: () => number;
}

const UNAUTHORIZED = 401;

/**
 * Sends a request once, and a second time if the service has refused its key and there is another one. Resolves when the
 * headers of the response have arrived.
 */
export async function exchange(
  attempt: Attempt,
  options: ExchangeOptions,
  signal: Signal,
): Promise<FetchAnswer> {
  if (attempt.headers['authorization'] !== undefined) return sendOnce(attempt, options, signal);
  const { keys } = options;
  const key = await keys.current(signal);
  const answer = await sendOnce(withKey(attempt, key), options, signal);
  if (answer.status !== UNAUTHORIZED) return answer;
  const next = await keys.after(key, signal);
  if (next === key) return answer;
  // The connection is free again when the body has been read.
  await answer.text();
  return sendOnce(withKey(attempt, next), options, signal);
}

const withKey = (attempt: Attempt, key: string): Attempt => ({
  ...attempt,
  headers: { ...attempt.headers, authorization: `Bearer ${key}` },
});

async function sendOnce(attempt: Attempt, options: ExchangeOptions, signal: Signal): Promise<FetchAnswer> {
  const { method, path, headers, body } = attempt;
  const { baseUrl, fetch, fetchOptions, log, now } = options;
  log.write('debug', `${method} ${path}`, { method, path, headers });
  const startMs = now();
  const init: FetchInit = {
    ...fetchOptions,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    signal,
    redirect: 'manual',
  };
  const answer: unknown = await fetch(`${baseUrl}${path}`, init);
  if (!isAnswer(answer)) throw new SvcError("The client's `fetch` did not return a Response.");
  const durationMs = Math.round(now() - startMs);
  const requestId = answer.headers.get('request-id');
  log.write('info', `${method} ${path} ${answer.status} in ${durationMs} ms`, {
    method,
    path,
    status: answer.status,
    durationMs,
    ...(requestId === null ? {} : { requestId }),
    ...(log.includes('debug') ? { headers: headersOf(answer.headers) } : {}),
  });
  return answer;
}

/** A custom `fetch` may return anything. */
function isAnswer(answer: unknown): answer is FetchAnswer {
  const { status, headers, text }: Partial<Readonly<Record<string, unknown>>> = Object(answer);
  return (
    typeof status === 'number' && typeof Object(headers).get === 'function' && typeof text === 'function'
  );
}
