import { checkedOptions, textOf } from './checked-options.ts';
import { collectionOf } from './collection/collection.ts';
import { newIdempotencyKey } from './collection/idempotency.ts';
import { queryText } from './collection/query.ts';
import type { Collection, Operation, OperationResult, PostOptions } from './collection/types.ts';
import { runBatch } from './collection/write-many.ts';
import { ME_PATH } from './contract/index.ts';
import { SvcError } from './errors.ts';
import { JSON_TYPE, joinHeaders } from './http/headers.ts';
import { type ApiPromise, apiCall, type ResponseInfo, responseInfo } from './http/response.ts';
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
}

const REQUEST_OPTIONS = [...CALL_OPTIONS, 'query', 'body'] as const;

/** The response to `svc.request()`. */
export interface RequestAnswer extends ResponseInfo {
  /**
   * The parsed JSON; the text of another type, such as NDJSON; undefined if the response has no body. HTML, which is
   * the page of a proxy, and a text with another status than 200 throw {@link SvcError}.
   */
  readonly body: unknown;
}

/** A client of the workspace that the API key belongs to. It has one property per resource. */
export type Svc = { readonly [Name in keyof Resources]: Collection<Resources[Name]> } & {
  /**
   * Mode of the API key. With a test key, every write is a dry run. Undefined while `apiKey` is a function that has not
   * returned a key yet.
   */
  readonly mode: 'live' | 'test' | undefined;
  /** Returns the API key of this client, its workspace, and what limits it: access, company, burst limit, live quota. */
  me(options?: CallOptions): ApiPromise<Me>;
  /**
   * Carries out up to 100 writes to several resources in one transaction, in their order: all or none. Each one finds what
   * those before it have written. With a test key, all of it is a dry run.
   *
   * @example
   * await svc.batch([
   *   { method: 'PUT', path: '/v1/companies/acme', body: { name: 'Acme' } },
   *   { method: 'POST', path: '/v1/content', body: { companyId: 'acme', title: 'How Acme saves water' } },
   * ]);
   */
  batch(operations: readonly Operation[], options?: PostOptions): ApiPromise<readonly OperationResult[]>;
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
  readonly #transport: Transport;

  constructor(options: SvcOptions = {}) {
    const { keys, defaultHeaders, ...settings } = settingsOf(options);
    const transport = createTransport({
      ...settings,
      keys,
      headers: { accept: 'application/json', ...userAgent(options.userAgent), ...defaultHeaders },
      onRetry: options.onRetry,
    });
    Object.defineProperty(this, 'mode', { get: () => keys.mode, enumerable: true });
    this.#transport = transport;
    const { onRestart } = options;
    for (const [name, resource] of Object.entries(RESOURCES)) {
      Object.defineProperty(this, name, {
        value: collectionOf({ transport, resource, onRestart }),
        enumerable: true,
      });
    }
  }

  me(options?: CallOptions): ApiPromise<Me> {
    return apiCall(
      async () =>
        this.#transport.send(
          { method: 'GET', path: ME_PATH, expected: 'object' },
          checkedOptions(options, CALL_OPTIONS),
        ),
      ({ body }) => body as Me,
    );
  }

  batch(operations: readonly Operation[], options?: PostOptions): ApiPromise<readonly OperationResult[]> {
    return runBatch(this.#transport, operations, options);
  }

  async request(method: string, path: string, options?: RequestOptions): Promise<RequestAnswer> {
    const { query = {}, body, headers = {}, ...call } = checkedOptions(options, REQUEST_OPTIONS);
    if (typeof method !== 'string') throw new SvcError(`The method must be a string, not ${textOf(method)}.`);
    if (typeof path !== 'string' || !/^\/(?!\/)/.test(path))
      throw new SvcError('The path must begin with one slash, such as /v1/audits.');
    // `fetch` changes `post` to POST, but does not change `patch`.
    const verb = method.toUpperCase();
    const own = {
      ...(body === undefined ? {} : JSON_TYPE),
      ...(verb === 'POST' ? { 'idempotency-key': newIdempotencyKey() } : {}),
    };
    const answer = await this.#transport.send(
      {
        method: verb,
        path: path + queryText(query),
        headers: joinHeaders(own, headers),
        body: body === undefined ? undefined : jsonText(body, 'The body'),
        expected: 'text',
      },
      call,
    );
    return { ...responseInfo(answer), body: answer.body };
  }
  // The constructor adds `mode` and the resource properties at run time. A test compares the type with the table.
} as unknown as new (
  options?: SvcOptions,
) => Svc;

function userAgent(own: string | undefined): Readonly<Record<string, string>> {
  if (isBrowser) return {};
  return { 'user-agent': `${own === undefined ? '' : `${own} `}svc-sdk/${VERSION}` };
}
