import { checkedObject, checkedOptions, textOf } from './checked-options.ts';
import { SvcError } from './errors.ts';
import { type Fetch, type FetchOptions, globalFetch, OWN_FETCH_OPTIONS } from './http/fetch.ts';
import { checkedDefaultHeaders, type HeadersInput } from './http/headers.ts';
import { type ApiKeyProvider, checkedApiKey, type KeySource, keySource } from './http/keys.ts';
import {
  checkedLogger,
  checkedLogLevel,
  createLog,
  type Log,
  type Logger,
  type LogLevel,
} from './http/log.ts';
import { systemTiming, type Timing } from './http/retry.ts';
import type { RetryEvent } from './http/transport.ts';
import type { RestartEvent } from './list/iterate.ts';
import { checkedRetries, checkedTimeout } from './number.ts';
import { environment } from './runtime.ts';

/** Settings of a client. All are optional. */
export interface SvcOptions {
  /**
   * API key of the workspace, `svc_live_…` or `svc_test_…`. Or a function that returns it, for example from a store of
   * secrets: it is called for the first request, and again when the service has refused its key. The refused request is
   * then sent once more with the new key.
   * @default the environment variable `SVC_API_KEY`
   */
  readonly apiKey?: string | ApiKeyProvider | undefined;
  /**
   * Address of the service, without `/v1`.
   * @default the environment variable `SVC_BASE_URL`, or `http://127.0.0.1:8080` if it is not set
   */
  readonly baseUrl?: string | undefined;
  /**
   * The function that sends requests.
   * @default the global `fetch`
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Further options of each call of `fetch`, such as a `dispatcher` of undici.
   * @default none
   */
  readonly fetchOptions?: FetchOptions | undefined;
  /**
   * Headers of every request, for example for a gateway. They replace the client's own, such as `User-Agent`.
   * @default none
   */
  readonly defaultHeaders?: HeadersInput | undefined;
  /**
   * Time limit of one attempt, in milliseconds. `Infinity` means no limit.
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of retries after 429, 503, network failures and timeouts, and after 500 if the request may be repeated. 0
   * disables retries, `Infinity` retries without end. The four default retries wait 0.5 to 4 seconds each, which is long
   * enough for a restart of the service.
   * @default 4
   */
  readonly retries?: number | undefined;
  /** Called before each retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called when the cursor of an iteration or a tail has expired and the client searches for its position again. */
  readonly onRestart?: ((event: RestartEvent) => void) | undefined;
  /**
   * What is logged. `error`: calls that failed. `warn`: also retries. `info`: also one line per response. `debug`: also the
   * headers, without tokens and other secrets. Bodies are never logged.
   * @default the environment variable `SVC_LOG`, or `off` if it is not set
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Receives the log: a message, and its details as an object. `console` is a logger.
   * @default standard error
   */
  readonly logger?: Logger | undefined;
  /** Put before this package's own `User-Agent`, for example `crawler/2.1`. Ignored in browsers. */
  readonly userAgent?: string | undefined;
  /** Clock, pauses and randomness. Tests replace them. */
  readonly timing?: Partial<Timing> | undefined;
}

/** The settings of a client, validated, with defaults filled in. */
export interface Settings {
  readonly keys: KeySource;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly fetchOptions: FetchOptions | undefined;
  /** With names in lower case. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly timing: Timing;
}

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';
/** The names of all options. The compiler reports a missing one. */
const OPTIONS = Object.keys({
  apiKey: true,
  baseUrl: true,
  fetch: true,
  fetchOptions: true,
  defaultHeaders: true,
  timeoutMs: true,
  retries: true,
  onRetry: true,
  onRestart: true,
  logLevel: true,
  logger: true,
  userAgent: true,
  timing: true,
} satisfies Readonly<Record<keyof SvcOptions, true>>) as (keyof SvcOptions)[];
const TIMEOUT_MS = 30_000;
const RETRIES = 4;

/** Validates the settings and fills in defaults. Throws {@link SvcError}, whose message never contains the key. */
export function settingsOf(options: SvcOptions): Settings {
  const {
    apiKey = environment('SVC_API_KEY'),
    baseUrl = environment('SVC_BASE_URL') ?? DEFAULT_BASE_URL,
    fetch = globalFetch,
    fetchOptions,
    defaultHeaders = {},
    logLevel,
    logger,
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
    throw new SvcError(`"userAgent" must be a string, not ${textOf(userAgent)}.`);
  const level =
    logLevel === undefined
      ? checkedLogLevel('SVC_LOG', environment('SVC_LOG') ?? 'off')
      : checkedLogLevel('"logLevel"', logLevel);
  return {
    keys: keySource(typeof apiKey === 'function' ? apiKey : checkedApiKey(apiKey)),
    baseUrl: checkedBaseUrl(baseUrl, options.baseUrl === undefined ? 'SVC_BASE_URL' : 'baseUrl'),
    fetch,
    fetchOptions: checkedFetchOptions(fetchOptions),
    defaultHeaders: checkedDefaultHeaders(defaultHeaders),
    log: createLog(level, checkedLogger(logger)),
    timeoutMs: checkedTimeout(timeoutMs),
    retries: checkedRetries(retries),
    timing: { ...systemTiming, ...timing },
  };
}

function checkedFetchOptions(options: FetchOptions | undefined): FetchOptions | undefined {
  const own = OWN_FETCH_OPTIONS.find((name) => name in (checkedObject(options) ?? {}));
  if (own !== undefined) throw new SvcError(`"fetchOptions" must not have "${own}": the client sets it.`);
  return options;
}

/** An address without a scheme. Nothing else is repeated in a message, because it may contain a secret. */
const HOST = /^(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+|[a-z\d-]+(?=:))(?::\d{1,5})?(?=\/?$)/i;

/**
 * Returns the address without a slash or `/v1` at the end. Throws {@link SvcError} if it is invalid, with the name of its
 * source and an address that is valid.
 */
export function checkedBaseUrl(baseUrl: string, source: string): string {
  const refuse = (why: string): never => {
    const [host = 'svc.example.com'] = HOST.exec(String(baseUrl)) ?? [];
    const scheme = /[a-z].*\./i.test(host) ? 'https' : 'http';
    throw new SvcError(`${source} ${why}. Use an address such as ${scheme}://${host}.`);
  };
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return refuse('is not a URL');
  const { protocol, username, password, search, hash, origin, pathname } = new URL(baseUrl);
  if (protocol !== 'http:' && protocol !== 'https:') return refuse('must begin with http:// or https://');
  if (username + password !== '') return refuse('must not contain a user name or password');
  if (search !== '' || hash !== '') return refuse('must not have a query string or a fragment');
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}
