import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { type Lanes, WAITING_LANES } from '../database/lanes.ts';

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The process's, the database lanes' and the requests' metrics. Labels are routes, never paths or keys. */
export function registerMetrics(app: FastifyInstance, lanes: Lanes, registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from request to answer.',
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
    durations.observe({ route }, reply.elapsedTime / 1000);
  });
}
