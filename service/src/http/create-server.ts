import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { BODY_MAX_BYTES, HEADERS_MAX_BYTES, REQUEST_TIMEOUT_MS } from '../config/limits.ts';
import { answerBrokenRequests, answerClientError } from './broken-request.ts';
import type { Trust } from './client-address.ts';
import { ApiError } from './errors.ts';
import { refuseExpectation } from './expectation.ts';
import { sendFailure } from './failures.ts';
import { skipStreamsOfHead } from './head.ts';
import { parseJsonBodies } from './json-bodies.ts';
import { requestId } from './request-id.ts';
import { requireShape } from './request-shape.ts';
import { canonicalTarget } from './request-target.ts';

/** A server without routes. It bounds every request, refuses what is not valid HTTP, and gives every failure its envelope. */
export function createServer(log: FastifyBaseLogger, trust: Trust): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: trust,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: HEADERS_MAX_BYTES, requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => canonicalTarget(url),
    // No parameter is longer than the headers, so every path below /v1 is authenticated and audited.
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      reply.header('request-id', request.id);
      sendFailure(error, request, reply);
    },
  });
  answerBrokenRequests(app.server);
  app.server.on('checkExpectation', refuseExpectation);
  parseJsonBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'request-id': request.id, 'x-content-type-options': 'nosniff' });
    requireShape(request);
  });
  const notFound = (): never => {
    throw new ApiError('not_found', 'There is no such path.');
  };
  // This hook runs after every onRequest hook, so after authentication below /v1, and before the body is read.
  app.addHook('preParsing', async (request) => {
    if (request.is404) notFound();
  });
  app.setNotFoundHandler(notFound);
  app.setErrorHandler(sendFailure);
  skipStreamsOfHead(app);
  return app;
}
