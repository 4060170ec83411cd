import { checkedOptions, textOf } from './checked-options.ts';
import { collectionOf } from './collection/collection.ts';
import { newIdempotencyKey } from './collection/idempotency.ts';
import { queryText } from './collection/query.ts';
import type { Collection } from './collection/types.ts';
import { SvcError } from './errors.ts';
import { type HeadersInput, joinHeaders } from './http/headers.ts';
import { CALL_OPTIONS, type CallOptions, createTransport, type Transport } from './http/transport.ts';
import { jsonText } from './json.ts';
import { type SvcOptions, settingsOf } from './options.ts';
import { RESOURCES, type Resources } from './resources.ts';
import { isBrowser } from './runtime.ts';
import { VERSION } from './version.ts';

/** A request of any path, for what has no method of its own. */
export interface RequestOptions extends CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Each wins over the client's own of the same name, in any case. */
  readonly headers?: HeadersInput | undefined;
}

const REQUEST_OPTIONS = [...CALL_OPTIONS, 'query', 'body', 'headers'] as const;

export interface RequestAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The parsed JSON; undefined when the answer has no body. */
  readonly body: unknown;
}

/** A client of one workspace, as its API key: a property for each resource. */
export type Svc = { readonly [Name in keyof Resources]: Collection<Resources[Name]> } & {
  /** Whether the key is a live or a sandbox one. A sandbox key's writes are dry runs. */
  readonly mode: 'live' | 'test';
  /** Any other request, `svc.request('GET', '/v1/audits')`: with this client's key, retries and errors. */
  request(method: string, path: string, options?: RequestOptions): Promise<RequestAnswer>;
};

/**
 * Makes a client. Nothing is sent before a method is called. Throws `SvcError` on settings that cannot be right.
 *
 * ```ts
 * const svc = new Svc(); // SVC_API_KEY, SVC_BASE_URL
 * for await (const audit of svc.audits.list({ sort: 'score-descending' })) console.log(audit.id);
 * ```
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
    this.mode = settings.apiKey.startsWith('svc_live_') ? 'live' : 'test';
    this.#transport = transport;
    const { onRestart } = options;
    for (const [name, resource] of Object.entries(RESOURCES)) {
      Object.defineProperty(this, name, {
        value: collectionOf({ transport, resource, onRestart }),
        enumerable: true,
      });
    }
  }

  async request(method: string, path: string, options?: RequestOptions): Promise<RequestAnswer> {
    const { query = {}, body, headers = {}, ...call } = checkedOptions(options, REQUEST_OPTIONS);
    if (typeof method !== 'string') throw new SvcError(`The method must be text, not ${textOf(method)}.`);
    if (typeof path !== 'string' || !/^\/(?!\/)/.test(path))
      throw new SvcError('The path must begin with one slash, such as /v1/audits.');
    // `fetch` itself makes `post` a POST, but leaves `patch` as it is.
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
  // The resources' properties follow from their table; a test compares type and table.
} as unknown as new (
  options?: SvcOptions,
) => Svc;

function userAgent(own: string | undefined): Readonly<Record<string, string>> {
  if (isBrowser) return {};
  return { 'user-agent': `${own === undefined ? '' : `${own} `}svc-sdk/${VERSION}` };
}
