import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify';

/** How long a browser may keep the response to a preflight. Chromium keeps it for at most two hours. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': [
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Last-Event-ID',
    'Request-Id',
    'X-Request-Id',
    'traceparent',
    'tracestate',
  ].join(', '),
  'access-control-max-age': PREFLIGHT_MAX_AGE_SECONDS,
};

/**
 * Responds to the preflights of these origins, without a key. Returns the onSend hook that lets their pages read responses,
 * with these headers (CORS). It never allows credentials: a request carries its key itself. Undefined: there are no origins,
 * so requests need no hook.
 */
export function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  exposedHeaders: readonly string[],
): onSendAsyncHookHandler | undefined {
  if (origins.length === 0) return undefined;
  const allowed = new Set(origins);
  const exposed = exposedHeaders.join(', ');
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    const { origin = '', 'access-control-request-method': requested } = headers;
    if (method !== 'OPTIONS' || requested === undefined || !allowed.has(origin)) return;
    return reply.code(204).headers(PREFLIGHT_HEADERS).send();
  });
  return async ({ headers: { origin = '' } }, reply, payload) => {
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'origin' : `${vary}, origin`);
    if (allowed.has(origin)) {
      reply.header('access-control-allow-origin', origin);
      reply.header('access-control-expose-headers', exposed);
    }
    return payload;
  };
}
