import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { Registry } from 'prom-client';
import { registerV1 } from './api/index.ts';
import { registerResources } from './api/reads.ts';
import { createAuditWriter } from './audit-log/audit-writer.ts';
import { type Clock, systemClock } from './config/clock.ts';
import type { Config } from './config/config.ts';
import { DAY_MS } from './config/durations.ts';
import {
  BODY_MAX_BYTES,
  HEADERS_MAX_BYTES,
  LOG_RETENTION_DAYS_DEFAULT,
  REQUEST_TIMEOUT_MS,
} from './config/limits.ts';
import { registerDashboard } from './dashboard/index.ts';
import type { Lanes } from './database/lanes.ts';
import { registerDocs } from './docs/index.ts';
import { answerBrokenRequests, answerClientError } from './http/broken-request.ts';
import { trustOf } from './http/client-address.ts';
import { ApiError } from './http/errors.ts';
import { refuseExpectation } from './http/expectation.ts';
import { sendFailure } from './http/failures.ts';
import { skipStreamsOfHead } from './http/head.ts';
import { parseJsonBodies } from './http/json-bodies.ts';
import { registerMetrics } from './http/metrics.ts';
import { warnOfProxyMistakes } from './http/proxy-warnings.ts';
import { requestId } from './http/request-id.ts';
import { requireShape } from './http/request-shape.ts';
import { canonicalTarget } from './http/request-target.ts';
import { registerSystem } from './http/system.ts';
import { createAuthenticator } from './keys/authenticate.ts';
import { createCursorCodec } from './list/cursor.ts';
import { registerOpenApi } from './openapi/route.ts';
import { createLimiter, type Limiter } from './quota/limiter.ts';
import { readQuota } from './quota/live-quota.ts';
import type { Resource } from './resources/define.ts';
import { RESOURCES } from './resources/index.ts';

export interface AppOptions {
  /** Its only connections. The caller ends them. */
  readonly lanes: Lanes;
  readonly config: Pick<Config, 'trustProxy' | 'failedAuthPerMinute' | 'publicUrl'> &
    Partial<Pick<Config, 'logRetentionDays'>>;
  /** The first one issues, all are accepted. */
  readonly secrets: readonly string[];
  readonly log: FastifyBaseLogger;
  /** What is served below /v1. Default: every resource of the service. */
  readonly resources?: readonly Resource[];
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: one of this process alone. */
  readonly limiter?: Limiter;
  /** Gets this process's metrics. Default: a new one. */
  readonly registry?: Registry;
  /** The text of /metrics, for a machine with several processes. Default: this process's own. */
  readonly readMetrics?: () => Promise<string>;
}

/** The HTTP application, without a port. Closing it finishes running requests and flushes the audit trail. */
export function createApp(options: AppOptions): FastifyInstance {
  const { lanes, config, secrets, log, clock = systemClock, resources = RESOURCES } = options;
  const { registry = new Registry(), limiter = createLimiter(clock) } = options;
  const trust = trustOf(config.trustProxy);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: trust,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: HEADERS_MAX_BYTES, requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => canonicalTarget(url),
    // Nothing longer arrives, so every path below /v1 is authenticated and audited.
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
  app.decorateRequest('key', null);
  app.decorateRequest('burst', null);
  app.decorateRequest('recorded', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'request-id': request.id, 'x-content-type-options': 'nosniff' });
    requireShape(request);
  });
  warnOfProxyMistakes(app, {
    ...{ trust, registry, log, clock },
    isDue: async (mistake) => (await limiter.take(`warning ${mistake}`, 1, DAY_MS, 1)).granted,
  });
  // After every onRequest hook, so after authentication below /v1, and before the body is read.
  app.addHook('preParsing', async (request) => {
    if (request.is404) throw new ApiError('not_found', 'There is no such path.');
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.debug(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        keyId: request.key?.keyId,
      },
      'answered',
    );
  });
  skipStreamsOfHead(app);
  app.setErrorHandler(sendFailure);
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'There is no such path.');
  });

  registerMetrics(app, lanes, registry);
  registerSystem(app, {
    connections: lanes.reads.of('readiness'),
    readMetrics: options.readMetrics ?? (() => registry.metrics()),
  });

  registerOpenApi(app, { publicUrl: config.publicUrl, resources });
  registerDocs(app, config);

  const cursors = createCursorCodec(secrets);
  registerDashboard(app, {
    ...{ lanes, secrets, cursors, clock },
    publicUrl: config.publicUrl,
    deployment: { logRetentionDays: config.logRetentionDays ?? LOG_RETENTION_DAYS_DEFAULT },
  });

  const trail = createAuditWriter(lanes);
  app.addHook('onClose', () => trail.drain());
  const authenticator = createAuthenticator(lanes, secrets, clock);
  const exhausted = new Set<string>();
  registerV1(
    app,
    {
      authenticator,
      trail,
      clock,
      limiter,
      failedAuthPerMinute: config.failedAuthPerMinute,
      exhausted,
      readQuota: (workspaceId) => readQuota(lanes.reads.of(workspaceId), workspaceId),
    },
    (v1) => registerResources(v1, resources, { ...lanes, cursors, clock, exhausted }),
  );
  return app;
}
