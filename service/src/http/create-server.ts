import { Readable } from 'node:stream';
import { whenClosed } from '@svc/http-content/reply-end';
import type { Trust } from '@svc/ip-addresses/proxies';
import { BODY_MAX_BYTES } from '@svc/sdk/contract';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { HEADERS_MAX_BYTES, REQUEST_TIMEOUT_MS } from '../config/limits.ts';
import { ApiError } from './errors.ts';
import { sendFailure } from './failures.ts';
import { acceptJsonBodies } from './json-body.ts';
import { requireServable, sendClientError, sendProtocolErrors } from './protocol-errors.ts';
import { canonicalTarget, requestId, requireValidHttp, requireValidRequest } from './request.ts';

/**
 * A server without routes. It limits requests, refuses invalid HTTP, and sends every failure in the error envelope.
 * `onClosed` is called after each response, also if its client disconnects before it.
 */
export function createServer(
  log: FastifyBaseLogger,
  trust: Trust,
  onClosed: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: trust,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: HEADERS_MAX_BYTES, requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => canonicalTarget(url),
    // No parameter in a path is longer than the headers may be. So the router finds a route for every path below /v1, and
    // each request is authenticated and audited.
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    return503OnClosing: false,
    clientErrorHandler: sendClientError,
    frameworkErrors: (error, request, reply) => {
      reply.header('request-id', request.id);
      sendFailure(error, request, reply);
    },
  });
  app.decorateRequest('waitedMs', 0);
  sendProtocolErrors(app.server);
  acceptJsonBodies(app);
  const requireValid = (request: FastifyRequest): void => {
    requireValidRequest(request);
    requireServable(request.raw);
  };
  app.addHook('onRequest', async (request, reply) => {
    whenClosed(reply, () => onClosed(request, reply));
    reply.headers({ 'request-id': request.id, 'x-content-type-options': 'nosniff' });
    requireValidHttp(request);
    // A request with a key is refused after it has authenticated, so that it has an audit entry.
    if (request.headers.authorization === undefined) requireValid(request);
  });
  const notFound = (): never => {
    throw new ApiError('not_found', 'There is no such path.');
  };
  // This hook runs after every onRequest hook, so after authentication below /v1, and before the body is read.
  app.addHook('preParsing', async (request) => {
    requireValid(request);
    if (request.is404) notFound();
  });
  app.setNotFoundHandler(notFound);
  app.setErrorHandler(sendFailure);
  skipStreamsOfHead(app);
  return app;
}

/**
 * Answers HEAD without reading a streamed body. Fastify's HEAD routes would read the stream to its end and discard it, so
 * a HEAD of an export would run the whole export.
 */
export function skipStreamsOfHead(app: FastifyInstance): void {
  app.addHook('onSend', async (request, _, payload: unknown) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return payload;
    payload.destroy();
    return Readable.from([]);
  });
}
