/** Spans, as the service sees them. They need no OpenTelemetry, which src/export.ts loads only if traces are exported. */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a span is about: work of the service, a request to it, or a request that it sends. */
export type SpanKind = 'internal' | 'server' | 'client';

/** A part of a trace that has not ended. */
export interface Span {
  /** The value of the header `traceparent` (W3C Trace Context) that continues the trace below this span. */
  readonly traceparent: string;
  readonly child: (name: string, kind: SpanKind, attributes?: Attributes) => Span;
  /** `failed`: marks the span as an error. Default: false. */
  readonly end: (attributes?: Attributes, failed?: boolean) => void;
}

/** A span that has ended. Times are those of `performance.now()`. */
interface PastSpan {
  readonly name: string;
  /** The `traceparent` of its parent, a span of this service. */
  readonly parent: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
}

/** Records the spans that are sampled. It never throws and never waits. */
export interface Tracing {
  /**
   * Starts a span that has no parent in this service. `traceparent` is that of a client; a value that is not valid is
   * ignored. Undefined: the span is not sampled.
   */
  readonly start: (name: string, kind: SpanKind, traceparent?: unknown) => Span | undefined;
  readonly record: (span: PastSpan) => void;
}

interface Queries {
  // biome-ignore lint/suspicious/noConfusingVoidType: the result is passed on, whatever it is.
  query(query: never, values?: never): Promise<unknown | void>;
  connect(): Promise<{ release(broken?: boolean | Error): void }>;
}

/**
 * Connections whose statements and transactions are spans below `parent`: from the wait for a connection to the end. A span
 * has the name of its statement, never its text or values. Returns the connections themselves if there is no parent.
 */
export function traced<Shares extends { of(owner: string): Queries }>(
  shares: Shares,
  parent: Span | null,
): Pick<Shares, 'of'> {
  if (parent === null) return shares;
  const of = (owner: string): Queries => {
    const connections = shares.of(owner);
    return {
      async query(query, values) {
        const name = nameOf(query);
        const span = parent.child(name, 'client', { ...POSTGRESQL, 'db.query.summary': name });
        return ending(span, () => connections.query(query, values));
      },
      async connect() {
        const span = parent.child('transaction', 'client', POSTGRESQL);
        try {
          const client = await connections.connect();
          const release = client.release.bind(client);
          client.release = (broken) => {
            span.end({}, Boolean(broken));
            release(broken);
          };
          return client;
        } catch (error) {
          span.end({ 'error.type': typeOf(error) }, true);
          throw error;
        }
      },
    };
  };
  return { of } as Shares;
}

/** A reader whose `reads` are {@link traced}. The reader itself if there is no parent. */
export const tracedReader = <Reader extends { readonly reads: { of(owner: string): Queries } }>(
  reader: Reader,
  parent: Span | null,
): Reader => (parent === null ? reader : { ...reader, reads: traced(reader.reads, parent) });

const POSTGRESQL = { 'db.system.name': 'postgresql' } as const;

/** The end of a generated name, which tells texts of one declaration apart. */
const DIGEST = /_[0-9a-f]{32}$/;

const nameOf = (query: unknown): string => {
  const { name } = Object(query) as { readonly name?: unknown };
  return typeof name === 'string' ? name.replace(DIGEST, '') : 'statement';
};

/** A class of errors, or the SQLSTATE. Never the message, which may contain data. */
function typeOf(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'Error');
}

async function ending<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run();
    span.end();
    return result;
  } catch (error) {
    span.end({ 'error.type': typeOf(error) }, true);
    throw error;
  }
}

/** The result of a request to a receiver of webhooks. */
type Sent =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'failure'; readonly reason: string };

interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends each request of `send` as a span, and passes the `traceparent` of a sampled one on. The span has the host of the
 * receiver and not its path, which may contain a secret.
 */
export function tracedSender<Request extends Outgoing, Result extends Sent>(
  send: (request: Request) => Promise<Result>,
  tracing: Tracing | undefined,
): (request: Request) => Promise<Result> {
  if (tracing === undefined) return send;
  return async (request) => {
    const span = tracing.start('webhook delivery', 'client');
    if (span === undefined) return send(request);
    const { hostname } = URL.parse(request.url) ?? {};
    const receiver = { 'http.request.method': 'POST', 'server.address': hostname };
    try {
      const headers = { ...request.headers, traceparent: span.traceparent };
      const result = await send({ ...request, headers });
      const failure = result.kind === 'failure' ? { 'error.type': result.reason } : {};
      const status = result.kind === 'response' ? result.status : undefined;
      const failed = status === undefined || status >= 300;
      span.end({ ...receiver, ...failure, 'http.response.status_code': status }, failed);
      return result;
    } catch (error) {
      span.end({ ...receiver, 'error.type': typeOf(error) }, true);
      throw error;
    }
  };
}
