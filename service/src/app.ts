import { createCursorCodec } from '@svc/deployment-secrets/cursors';
import { trustOf, warnOfProxyMistakes } from '@svc/ip-addresses/proxies';
import { createLimiter, type Limiter } from '@svc/rate-limiter';
import { monitorCommits } from '@svc/telemetry/commits';
import { traceRequests } from '@svc/telemetry/requests';
import type { Tracing } from '@svc/telemetry/tracing';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { registerV1 } from './api/index.ts';
import { type AuditWriter, createAuditWriter } from './audit-log/audit-writer.ts';
import { createUsageCounter } from './audit-log/usage/usage-counter.ts';
import type { Config } from './config/config.ts';
import { LOG_RETENTION_DAYS_DEFAULT } from './config/limits.ts';
import { type Clock, DAY_MS, systemClock } from './config/time.ts';
import { registerDashboard } from './dashboard/index.ts';
import type { Lanes } from './database/lanes.ts';
import { registerDocs } from './docs/index.ts';
import { registerOpenApi } from './docs/openapi.ts';
import { createServer } from './http/create-server.ts';
import { registerMonitoring } from './http/monitoring.ts';
import { createChangeSignals, localChannel, type SignalChannel } from './signals/signals.ts';

export interface AppOptions {
  /** All database connections of the app. The caller closes them. */
  readonly lanes: Lanes;
  readonly config: Pick<Config, 'trustProxy' | 'failedAuthPerMinute' | 'publicUrl'> &
    Partial<Pick<Config, 'logRetentionDays' | 'webhookNetworks' | 'corsOrigins' | 'oidc'>>;
  /** The first secret issues tokens and cursors. All secrets are accepted. */
  readonly secrets: readonly string[];
  readonly log: FastifyBaseLogger;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Default: a limiter for this process only. */
  readonly limiter?: Limiter;
  /** Default: a writer with the connections of this app. */
  readonly auditWriter?: AuditWriter;
  /** Carries the signals of changes. Default: a channel of this process only. */
  readonly signalChannel?: SignalChannel;
  /** Gets the metrics of this process. Default: a new registry. */
  readonly registry?: Registry;
  /** The text of /metrics, for a machine with several processes. Default: the metrics of this process only. */
  readonly readMetrics?: () => Promise<string>;
  /** Records spans of requests. Default: there are none. */
  readonly tracing?: Tracing | undefined;
}

/** The HTTP application, without a port. `close` finishes running requests, then writes and counts the waiting entries. */
export function createApp(options: AppOptions): FastifyInstance {
  const { lanes, config, secrets, log, clock = systemClock } = options;
  const {
    registry = new Registry(),
    limiter = createLimiter(clock),
    auditWriter = createAuditWriter(lanes, { monitor: monitorCommits(registry, options.tracing) }),
    signalChannel = localChannel(),
  } = options;
  const { publicUrl, failedAuthPerMinute, webhookNetworks = '', corsOrigins = [], oidc } = config;
  const { logRetentionDays = LOG_RETENTION_DAYS_DEFAULT } = config;
  const trust = trustOf(config.trustProxy);
  const cursors = createCursorCodec(secrets);

  const app = createServer(log, trust, logClosed);
  traceRequests(app, options.tracing, ({ waitedMs }) => waitedMs);
  const isDue = async (mistake: string): Promise<boolean> =>
    (await limiter.take(`warning ${mistake}`, 1, DAY_MS, 1)).granted;
  warnOfProxyMistakes(app, { trust, registry, log, clock, isDue });

  registerMonitoring(app, { lanes, registry, readMetrics: options.readMetrics });
  registerOpenApi(app, publicUrl);
  registerDocs(app, config);
  const signals = createChangeSignals({
    channel: signalChannel,
    connections: lanes.reads.of('signals'),
    log,
  });
  app.addHook('onClose', signals.close);
  const shared = { lanes, secrets, cursors, usage: createUsageCounter(lanes, log), signals, clock };
  registerDashboard(app, { ...shared, publicUrl, oidc, deployment: { logRetentionDays }, webhookNetworks });
  registerV1(app, { ...shared, limiter, auditWriter, registry, failedAuthPerMinute, corsOrigins });
  return app;
}

function logClosed(request: FastifyRequest, reply: FastifyReply): void {
  const { headersSent, writableFinished } = reply.raw;
  request.log.debug(
    {
      method: request.method,
      route: request.routeOptions.url,
      status: headersSent ? reply.statusCode : undefined,
      ms: Math.round(reply.elapsedTime),
      keyId: request.caller?.key.keyId,
    },
    writableFinished
      ? 'answered'
      : `the client disconnected ${headersSent ? 'during' : 'before'} the response`,
  );
}
