import { latencyQuantile } from '@svc/latency-buckets';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { type AttemptCount, readAttempts } from '../../webhooks/attempt-counts.ts';
import type { WebhookPlot, WebhookRange } from '../../webhooks/wire.ts';
import type { DashboardContext } from '../context.ts';
import { parseRange, spansOf } from '../range.ts';
import { endpointIdOf, type OneEndpoint, requireEndpoint, WEBHOOKS } from './endpoint.ts';

const RANGES: readonly WebhookRange[] = ['24h', '7d', '30d'];
const MEDIAN = 0.5;
const SLOW = 0.99;

/** Successes, failures and durations of the attempts of an endpoint, per hour or, in a longer range, per day (UTC). */
export function registerPlot(api: FastifyInstance, { sessions, pool, clock }: DashboardContext): void {
  api.get<OneEndpoint & { Querystring: Record<string, unknown> }>(
    `${WEBHOOKS}/:endpointId/plot`,
    async (request, reply): Promise<WebhookPlot> => {
      const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
      allowParameters(request.query, ['range']);
      const lengthMs = parseRange(request.query['range'], RANGES);
      const id = endpointIdOf(request);
      await requireEndpoint(pool, workspaceId, id);
      const spans = spansOf(lengthMs, clock());
      const { step, fromMs } = spans;
      const counts = await readAttempts(pool, { workspaceId, id }, { fromMs, step });
      return { step, spans: spans.map(counts, figuresOf) };
    },
  );
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
