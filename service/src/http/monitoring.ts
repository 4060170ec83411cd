import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { type Lanes, WAITING_LANES } from '../database/lanes.ts';
import { statement } from '../database/statement.ts';

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface MonitoringOptions {
  readonly lanes: Lanes;
  /** Gets the metrics of this process. */
  readonly registry: Registry;
  /** The text of /metrics. Default: the metrics of this process only. */
  readonly readMetrics?: (() => Promise<string>) | undefined;
}

const ping = statement('ping', 'control')`select 1`;

/** Registers /healthz, /readyz and /metrics, which need no key, and counts all requests. */
export function registerMonitoring(app: FastifyInstance, options: MonitoringOptions): void {
  const { lanes, registry, readMetrics = () => registry.metrics() } = options;
  measure(app, lanes, registry);
  const connections = lanes.reads.of('readiness');
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await connections.query(ping());
    return { status: 'ready' };
  });
  app.get('/metrics', async (_, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await readMetrics()),
  );
}

/** Collects metrics of the process, the database lanes and the requests. Labels are routes, never paths or keys. */
function measure(app: FastifyInstance, lanes: Lanes, registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Responses that were sent.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from request to response, without the time that a request waits for changes.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: 'svc_database_waiting_requests',
    help: 'Statements and transactions that wait for a database connection of their lane.',
    labelNames: ['lane'],
    registers: [registry],
    collect() {
      for (const lane of WAITING_LANES) this.set({ lane }, lanes[lane].waiting);
    },
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    requests.inc({ method: request.method, route, status: reply.statusCode });
    durations.observe({ route }, (reply.elapsedTime - request.waitedMs) / 1000);
  });
}
