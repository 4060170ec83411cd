import type { ResponseHeaders } from '../errors.ts';
import type { Answer } from './answer.ts';

/** A limit of the key or of its workspace. */
export interface RateLimit {
  /** Requests that the limit allows per window; undefined if the service did not say it. */
  readonly limit: number | undefined;
  /** Requests that are left. */
  readonly remaining: number;
  /** Seconds until the limit is whole again. */
  readonly resetSeconds: number;
}

/** What a response says in addition to its data. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Identifies the request. Include it when you contact the operator of the service. */
  readonly requestId: string | undefined;
  /** Whether the service undid this write, as it does with every write of a test key. */
  readonly dryRun: boolean;
  /** Whether this is the stored response to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  readonly etag: string | undefined;
  /** What is left of each limit, by its name. Empty if the key sees no limit. */
  readonly rateLimit: {
    /** Live requests of this month. */
    readonly quota?: RateLimit;
    /** Requests of this second. */
    readonly burst?: RateLimit;
    readonly [name: string]: RateLimit | undefined;
  };
}

export function responseInfo({ status, headers }: Omit<Answer, 'body'>): ResponseInfo {
  return {
    status,
    headers,
    requestId: headers.get('request-id') ?? undefined,
    dryRun: headers.get('dry-run') === 'true',
    replayed: headers.get('idempotent-replayed') === 'true',
    etag: headers.get('etag') ?? undefined,
    rateLimit: rateLimitOf(headers),
  };
}

const ITEM = /"([^"]*)"((?:\s*;\s*\w+=\d+)+)/g;

/** The items of a header such as `"quota";r=5;t=60, "burst";r=9;t=1` (IETF draft-ietf-httpapi-ratelimit-headers). */
const itemsOf = (header: string | null): readonly (readonly [string, Readonly<Record<string, number>>])[] =>
  [...(header ?? '').matchAll(ITEM)].map(([, name = '', values = '']) => [
    name,
    Object.fromEntries([...values.matchAll(/(\w+)=(\d+)/g)].map(([, key = '', n]) => [key, Number(n)])),
  ]);

function rateLimitOf(headers: Answer['headers']): ResponseInfo['rateLimit'] {
  const limits = new Map(itemsOf(headers.get('ratelimit-policy')).map(([name, { q }]) => [name, q]));
  return Object.fromEntries(
    itemsOf(headers.get('ratelimit')).map(([name, { r = 0, t = 0 }]) => [
      name,
      { limit: limits.get(name), remaining: r, resetSeconds: t },
    ]),
  );
}

/** What {@link ApiPromise.withResponse} resolves with in addition to the data. */
export interface WithResponse {
  readonly response: ResponseInfo;
}

/** Like {@link WithResponse}, for a call that sends a request per batch: one response each. */
export interface WithResponses {
  readonly responses: readonly ResponseInfo[];
}

/** The result of a call. `await` gives its data, and {@link withResponse} also the response. */
export class ApiPromise<T, More = WithResponse> extends Promise<T> {
  readonly #result: Promise<{ readonly data: T } & More>;

  /** `then` and the like return ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(result: Promise<{ readonly data: T } & More>) {
    super((resolve, reject) => {
      result.then(({ data }) => resolve(data), reject);
    });
    this.#result = result;
  }

  /**
   * Resolves with the data and what the response says in addition, such as the request id, the dry run and the rate limit.
   *
   * @example
   * const { data, response } = await svc.audits.get('aud_a').withResponse();
   * console.log(data.headlineScore, response.requestId);
   */
  withResponse(): Promise<{ readonly data: T } & More> {
    // A failure of the call belongs to the promise that is returned here.
    this.catch(() => undefined);
    return this.#result;
  }
}

/** Makes a call. Its data is what `dataOf` finds in the response. */
export const apiCall = <T>(send: () => Promise<Answer>, dataOf: (answer: Answer) => T): ApiPromise<T> =>
  new ApiPromise(send().then((answer) => ({ data: dataOf(answer), response: responseInfo(answer) })));

/** The responses of pages and batches. The WeakMap does not keep those alive. */
const responses = new WeakMap<object, Answer>();

/** Remembers the response in which a page or a batch arrived. */
export const rememberResponse = (data: object, answer: Answer): void => {
  responses.set(data, answer);
};

/** What the response of a page or a batch of {@link rememberResponse} says in addition. */
export function responseOf(data: object): ResponseInfo {
  const answer = responses.get(data);
  if (answer === undefined) throw new TypeError('The response of this object is unknown.');
  return responseInfo(answer);
}
