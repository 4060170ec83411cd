import { latencyQuantile } from '@svc/latency-buckets';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { DAY_MS, HOUR_MS } from '../../config/time.ts';
import { ApiError } from '../../http/errors.ts';
import { type AttemptCount, readAttempts } from '../../webhooks/attempt-counts.ts';
import { readEndpointRecord } from '../../webhooks/records.ts';
import type { WebhookPlot, WebhookRange } from '../../webhooks/wire.ts';
import type { DashboardContext } from '../context.ts';
import { HOURLY_MAX_MS } from '../limits.ts';
import { endpointIdOf, noEndpoint, type OneEndpoint, WEBHOOKS } from './endpoint.ts';

const RANGES_MS: Readonly<Record<WebhookRange, number>> = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};
const RANGE_DEFAULT: WebhookRange = '7d';
const STEPS_MS = { hour: HOUR_MS, day: DAY_MS } as const;
const MEDIAN = 0.5;
const SLOW = 0.99;

/** Successes, failures and durations of the attempts of an endpoint, per hour or, in a longer range, per day (UTC). */
export function registerPlot(api: FastifyInstance, { sessions, pool, clock }: DashboardContext): void {
  api.get<OneEndpoint & { Querystring: Record<string, unknown> }>(
    `${WEBHOOKS}/:endpointId/plot`,
    async (request, reply): Promise<WebhookPlot> => {
      const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
      allowParameters(request.query, ['range']);
      const lengthMs = parseRange(request.query['range']);
      const id = endpointIdOf(request);
      if ((await readEndpointRecord(pool, workspaceId, id)) === undefined) throw noEndpoint();
      const step = lengthMs <= HOURLY_MAX_MS ? 'hour' : 'day';
      const stepMs = STEPS_MS[step];
      const fromMs = Math.floor(clock() / stepMs) * stepMs - lengthMs + stepMs;
      const counts = await readAttempts(pool, { workspaceId, id }, { fromMs, step });
      const bySpan = Map.groupBy(counts, ({ at }) => at);
      return {
        step,
        spans: Array.from({ length: lengthMs / stepMs }, (_, i) => {
          const at = fromMs + i * stepMs;
          return { at: new Date(at).toISOString(), ...figuresOf(bySpan.get(at) ?? []) };
        }),
      };
    },
  );
}

function parseRange(value: unknown = RANGE_DEFAULT): number {
  if (typeof value === 'string' && Object.hasOwn(RANGES_MS, value)) return RANGES_MS[value as WebhookRange];
  throw new ApiError('invalid_parameter', `"range" must be one of ${Object.keys(RANGES_MS).join(', ')}.`);
}

function figuresOf(counts: readonly AttemptCount[]) {
  const durations = counts.map(({ bucket, delivered, failed }) => ({ bucket, requests: delivered + failed }));
  return {
    delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    p50: latencyQuantile(durations, MEDIAN),
    p99: latencyQuantile(durations, SLOW),
  };
}
