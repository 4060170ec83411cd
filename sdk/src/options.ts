import { checkedOptions, textOf } from './checked-options.ts';
import { SvcError } from './errors.ts';
import { type Fetch, globalFetch } from './http/fetch.ts';
import { systemTiming, type Timing } from './http/retry.ts';
import type { RetryEvent } from './http/transport.ts';
import type { RestartEvent } from './list/iterate.ts';
import { checkedNumber } from './number.ts';
import { environment } from './runtime.ts';

/** Settings of a client; all have defaults. */
export interface SvcOptions {
  /** A key of the workspace, `svc_live_…` or `svc_test_…`. Default: the environment's `SVC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Where the service is. Default: the environment's `SVC_BASE_URL`, else `http://127.0.0.1:8080`. */
  readonly baseUrl?: string | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** How long one try may take, in milliseconds; Infinity: for ever. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Tries after the first one, on 429, 503 and faults of the network. Default 4: half a second to four seconds apart, so
   * that a restart of the service goes unnoticed. 0: never.
   */
  readonly retries?: number | undefined;
  /** Called before a failed try is repeated. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called when the cursor of a walk or tail has expired and it looks for its place again. */
  readonly onRestart?: ((event: RestartEvent) => void) | undefined;
  /** Sent as `User-Agent` before this package's own, for example `crawler/2.1`. Not in browsers. */
  readonly userAgent?: string | undefined;
  /** Clock, pauses and chance, for tests. */
  readonly timing?: Partial<Timing> | undefined;
}

/** The settings of a client, complete and checked. */
export interface Settings {
  readonly apiKey: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly timing: Timing;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';
/** Every option; the compiler refuses a list that lacks one. */
const OPTIONS = Object.keys({
  apiKey: true,
  baseUrl: true,
  fetch: true,
  timeoutMs: true,
  retries: true,
  onRetry: true,
  onRestart: true,
  userAgent: true,
  timing: true,
} satisfies Readonly<Record<keyof SvcOptions, true>>) as (keyof SvcOptions)[];
const TIMEOUT_MS = 30_000;
const RETRIES = 4;

/** Completes and checks the settings of a client. Throws {@link SvcError}; the key is never part of its message. */
export function settingsOf(options: SvcOptions): Settings {
  const {
    apiKey = environment('SVC_API_KEY'),
    baseUrl = environment('SVC_BASE_URL') ?? DEFAULT_BASE_URL,
    fetch = globalFetch,
    timeoutMs = TIMEOUT_MS,
    retries = RETRIES,
    userAgent = '',
    timing,
  } = checkedOptions(options, OPTIONS);
  for (const [name, value] of Object.entries({
    fetch,
    onRetry: options.onRetry,
    onRestart: options.onRestart,
  })) {
    if (value !== undefined && typeof value !== 'function')
      throw new SvcError(`"${name}" must be a function, not ${textOf(value)}.`);
  }
  if (typeof userAgent !== 'string')
    throw new SvcError(`"userAgent" must be text, not ${textOf(userAgent)}.`);
  return {
    apiKey: checkedApiKey(apiKey),
    baseUrl: checkedBaseUrl(baseUrl),
    fetch,
    timeoutMs: checkedTimeout(timeoutMs),
    retries: checkedRetries(retries),
    timing: { ...systemTiming, ...timing },
  };
}

export const checkedTimeout = (timeoutMs: number): number =>
  checkedNumber('timeoutMs', timeoutMs, { min: 1, whole: false });

export const checkedRetries = (retries: number): number => checkedNumber('retries', retries, { min: 0 });

/** The shape of a token (specification, section 5). */
const API_KEY = /^svc_(?:live|test)_[A-Za-z0-9_-]{32}$/;

export function checkedApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined) throw new SvcError('There is no API key: pass `apiKey`, or set SVC_API_KEY.');
  // Null too is what a caller meant to set: the key of the environment may be another workspace's.
  if (typeof apiKey !== 'string') throw new SvcError('"apiKey" must be text.');
  const key = apiKey.trim();
  if (!API_KEY.test(key)) {
    throw new SvcError('The API key is malformed: it is svc_live_ or svc_test_ and 32 more characters.');
  }
  return key;
}

export function checkedBaseUrl(baseUrl: string): string {
  const refuse = (why: string): never => {
    throw new SvcError(`baseUrl ${why}; it is an address such as https://svc.example.com.`);
  };
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return refuse('is not a URL');
  const { protocol, username, search, hash, origin, pathname } = new URL(baseUrl);
  if (protocol !== 'http:' && protocol !== 'https:') return refuse('must begin with http:// or https://');
  if (username !== '') return refuse('must not hold a user or password');
  if (search !== '' || hash !== '') return refuse('must end with its path');
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}
