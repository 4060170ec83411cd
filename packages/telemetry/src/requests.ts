import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracing } from './tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request. Null: it is not traced. */
    span: Span | null;
  }
}

/** Probes and scrapes come all the time, and say nothing about the work of the service. */
const NOT_TRACED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);
/** Other methods are one name, so that clients cannot make names up (the semantic conventions of HTTP). */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const FIRST_FAULT_STATUS = 500;

/**
 * Makes a span of each sampled request, by the semantic conventions of HTTP. It has the template of the route, and neither
 * the path nor the query nor a header: they contain ids, cursors and keys. The Request-Id leads to the audit log.
 *
 * `waitedMs` is the time that the request has waited on purpose.
 */
export function traceRequests(
  app: FastifyInstance,
  tracing: Tracing | undefined,
  waitedMs: (request: FastifyRequest) => number,
): void {
  app.decorateRequest('span', null);
  if (tracing === undefined) return;
  const end = (span: Span, request: FastifyRequest, { raw, statusCode }: FastifyReply): void => {
    const { method } = request;
    // Without a response, the client has disconnected.
    const status = raw.headersSent ? statusCode : undefined;
    const failed = status !== undefined && status >= FIRST_FAULT_STATUS;
    const attributes = {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      'http.route': request.routeOptions.url,
      'http.response.status_code': status,
      'error.type': failed ? String(status) : undefined,
      'svc.request_id': request.id,
      'svc.waited_ms': Math.round(waitedMs(request)) || undefined,
    };
    span.end(attributes, failed);
  };
  app.addHook('onRequest', async (request, reply) => {
    const { url: route } = request.routeOptions;
    if (NOT_TRACED.has(route)) return;
    const method = METHODS.has(request.method) ? request.method : 'HTTP';
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracing.start(name, 'server', request.headers['traceparent']);
    if (span === undefined) return;
    request.span = span;
    reply.raw.once('close', () => end(span, request, reply));
  });
}
