import { checkedOptions, textOf } from './checked-options.ts';
import { collectionOf } from './collection/collection.ts';
import { newIdempotencyKey } from './collection/idempotency.ts';
import { queryText } from './collection/query.ts';
import type { Collection } from './collection/types.ts';
import { ME_PATH, TOKEN_PREFIXES } from './contract/index.ts';
import { SvcError } from './errors.ts';
import { type HeadersInput, joinHeaders } from './http/headers.ts';
import { CALL_OPTIONS, type CallOptions, createTransport, type Transport } from './http/transport.ts';
import { jsonText } from './json.ts';
import { type SvcOptions, settingsOf } from './options.ts';
import { RESOURCES, type Resources } from './resource.ts';
import { isBrowser } from './runtime.ts';
import { VERSION } from './version.ts';
import type { Me } from './wire.ts';

/** Options of `svc.request()`. */
export interface RequestOptions extends CallOptions {
  /** Query parameters. A parameter whose value is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, sent as JSON. Default: no body. */
  readonly body?: unknown;
  /** A header here replaces the client's own header of the same name. Upper and lower case do not matter. */
  readonly headers?: HeadersInput | undefined;
}

const REQUEST_OPTIONS = [...CALL_OPTIONS, 'query', 'body', 'headers'] as const;

/** The response to `svc.request()`. */
export interface RequestAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The parsed JSON; undefined if the response has no body. */
  readonly body: unknown;
}

/** A client of the workspace that the API key belongs to. It has one property per resource. */
export type Svc = { readonly [Name in keyof Resources]: Collection<Resources[Name]> } & {
  /** Mode of the API key. With a test key, every write is a dry run. */
  readonly mode: 'live' | 'test';
  /** Returns the API key of this client, its workspace, and what limits it: access, company, burst limit, live quota. */
  me(options?: CallOptions): Promise<Me>;
  /**
   * Sends any request with this client's key, retries and errors.
   *
   * @example
   * const { body } = await svc.request('GET', '/v1/audits', { query: { limit: 10 } });
   */
  request(method: string, path: string, options?: RequestOptions): Promise<RequestAnswer>;
};

/**
 * Creates a client. It sends nothing until a method is called. Throws `SvcError` if a setting is invalid.
 *
 * @example
 * const svc = new Svc(); // SVC_API_KEY, SVC_BASE_URL
 * for await (const audit of svc.audits.list({ sort: 'score-descending' })) console.log(audit.id);
 */
export const Svc: new (options?: SvcOptions) => Svc = class {
  readonly mode: 'live' | 'test';
  readonly #transport: Transport;

  constructor(options: SvcOptions = {}) {
    const settings = settingsOf(options);
    const transport = createTransport({
      ...settings,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${settings.apiKey}`,
        ...userAgent(options.userAgent),
      },
      onRetry: options.onRetry,
    });
    this.mode = settings.apiKey.startsWith(TOKEN_PREFIXES.live) ? 'live' : 'test';
    this.#transport = transport;
    const { onRestart } = options;
    for (const [name, resource] of Object.entries(RESOURCES)) {
      Object.defineProperty(this, name, {
        value: collectionOf({ transport, resource, onRestart }),
        enumerable: true,
      });
    }
  }

  async me(options?: CallOptions): Promise<Me> {
    const call = checkedOptions(options, CALL_OPTIONS);
    return (await this.#transport.send({ method: 'GET', path: ME_PATH }, call)).body as Me;
  }

  async request(method: string, path: string, options?: RequestOptions): Promise<RequestAnswer> {
    const { query = {}, body, headers = {}, ...call } = checkedOptions(options, REQUEST_OPTIONS);
    if (typeof method !== 'string') throw new SvcError(`The method must be a string, not ${textOf(method)}.`);
    if (typeof path !== 'string' || !/^\/(?!\/)/.test(path))
      throw new SvcError('The path must begin with one slash, such as /v1/audits.');
    // `fetch` changes `post` to POST, but does not change `patch`.
    const verb = method.toUpperCase();
    const own = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(verb === 'POST' ? { 'idempotency-key': newIdempotencyKey() } : {}),
    };
    return this.#transport.send(
      {
        method: verb,
        path: path + queryText(query),
        headers: joinHeaders(own, headers),
        body: body === undefined ? undefined : jsonText(body, 'The body'),
      },
      call,
    );
  }
  // The loop over RESOURCES adds the resource properties at run time. A test compares the type with the table.
} as unknown as new (
  options?: SvcOptions,
) => Svc;

function userAgent(own: string | undefined): Readonly<Record<string, string>> {
  if (isBrowser) return {};
  return { 'user-agent': `${own === undefined ? '' : `${own} `}svc-sdk/${VERSION}` };
}
