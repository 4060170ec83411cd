import { limitPing } from '@svc/telemetry/database';
import { measureLanes, measureRequests } from '@svc/telemetry/metrics';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Lanes } from '../database/lanes.ts';
import { statement } from '../database/statement.ts';

export interface MonitoringOptions {
  readonly lanes: Lanes;
  /** Gets the metrics of this process. */
  readonly registry: Registry;
  /** The text of /metrics. Default: the metrics of this process only. */
  readonly readMetrics?: (() => Promise<string>) | undefined;
}

const select = statement('ping', 'control')`select 1`;

/** Rejects if the database does not respond. */
export const ping = (connections: Queryable): Promise<unknown> => connections.query(select());

/** Registers /healthz, /readyz and /metrics, which need no key, and measures all requests. */
export function registerMonitoring(app: FastifyInstance, options: MonitoringOptions): void {
  const { lanes, registry, readMetrics = () => registry.metrics() } = options;
  measureRequests(app, registry, ({ waitedMs }) => waitedMs);
  measureLanes(registry, lanes.states);
  const respond = limitPing(() => ping(lanes.health));
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await respond();
    return { status: 'ready' };
  });
  app.get('/metrics', async (_, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await readMetrics()),
  );
}
