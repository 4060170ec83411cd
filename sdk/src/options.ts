import { checkedOptions, textOf } from './checked-options.ts';
import { isToken, TOKEN_PREFIXES, TOKEN_RANDOM_CHARACTERS } from './contract/index.ts';
import { SvcError } from './errors.ts';
import { type Fetch, globalFetch } from './http/fetch.ts';
import { systemTiming, type Timing } from './http/retry.ts';
import type { RetryEvent } from './http/transport.ts';
import type { RestartEvent } from './list/iterate.ts';
import { checkedRetries, checkedTimeout } from './number.ts';
import { environment } from './runtime.ts';

/** Settings of a client. All are optional. */
export interface SvcOptions {
  /**
   * API key of the workspace, `svc_live_…` or `svc_test_…`.
   * @default the environment variable `SVC_API_KEY`
   */
  readonly apiKey?: string | undefined;
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
   * Time limit of one attempt, in milliseconds. `Infinity` means no limit.
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of retries after 429, 503, network failures and timeouts. 0 disables retries, `Infinity` retries without
   * end. The four default retries wait 0.5 to 4 seconds each, which is long enough for a restart of the service.
   * @default 4
   */
  readonly retries?: number | undefined;
  /** Called before each retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called when the cursor of an iteration or a tail has expired and the client searches for its position again. */
  readonly onRestart?: ((event: RestartEvent) => void) | undefined;
  /** Put before this package's own `User-Agent`, for example `crawler/2.1`. Ignored in browsers. */
  readonly userAgent?: string | undefined;
  /** Clock, pauses and randomness. Tests replace them. */
  readonly timing?: Partial<Timing> | undefined;
}

/** The settings of a client, validated, with defaults filled in. */
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
/** The names of all options. The compiler reports a missing one. */
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

/** Validates the settings and fills in defaults. Throws {@link SvcError}, whose message never contains the key. */
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
    throw new SvcError(`"userAgent" must be a string, not ${textOf(userAgent)}.`);
  return {
    apiKey: checkedApiKey(apiKey),
    baseUrl: checkedBaseUrl(baseUrl),
    fetch,
    timeoutMs: checkedTimeout(timeoutMs),
    retries: checkedRetries(retries),
    timing: { ...systemTiming, ...timing },
  };
}

export function checkedApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined) throw new SvcError('There is no API key. Pass `apiKey` or set SVC_API_KEY.');
  // A caller who passes null meant to pass a key. The key in the environment may belong to another workspace.
  if (typeof apiKey !== 'string') throw new SvcError('"apiKey" must be a string.');
  const key = apiKey.trim();
  if (!isToken(key)) {
    throw new SvcError(
      `The API key is malformed. A key is ${TOKEN_PREFIXES.live} or ${TOKEN_PREFIXES.test}, followed by ${TOKEN_RANDOM_CHARACTERS} characters.`,
    );
  }
  return key;
}

export function checkedBaseUrl(baseUrl: string): string {
  const refuse = (why: string): never => {
    throw new SvcError(`baseUrl ${why}. Use an address such as https://svc.example.com.`);
  };
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return refuse('is not a URL');
  const { protocol, username, search, hash, origin, pathname } = new URL(baseUrl);
  if (protocol !== 'http:' && protocol !== 'https:') return refuse('must begin with http:// or https://');
  if (username !== '') return refuse('must not contain a user name or password');
  if (search !== '' || hash !== '') return refuse('must not have a query string or a fragment');
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}
