import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { type LatencyCount, latencyQuantile } from '../../audit-log/latency.ts';
import { DAY_MS, HOUR_MS } from '../../config/time.ts';
import type { Connections } from '../../database/lane.ts';
import type { DashboardContext } from '../context.ts';
import { HOURLY_MAX_MS } from '../limits.ts';
import { parseRange, RANGES_MS } from './range.ts';
import type { Traffic, TrafficFigures } from './wire-overview.ts';

const STEPS_MS = { hour: HOUR_MS, day: DAY_MS } as const;
const MEDIAN = 0.5;
const SLOW = 0.95;

/** Requests, failures and latencies over time, by the hour or, in a longer range, by the day (UTC). */
export function registerTraffic(api: FastifyInstance, { pool, sessions, clock }: DashboardContext): void {
  api.get<{ Querystring: Record<string, unknown> }>(
    '/workspaces/:workspaceId/traffic',
    async (request, reply): Promise<Traffic> => {
      const { workspaceId } = await sessions.member(request, reply);
      allowParameters(request.query, ['range']);
      const lengthMs = RANGES_MS[parseRange(request.query['range'])];
      const step = lengthMs <= HOURLY_MAX_MS ? 'hour' : 'day';
      const stepMs = STEPS_MS[step];
      // Whole spans, the one that runs among them.
      const fromMs = Math.floor(clock() / stepMs) * stepMs - lengthMs + stepMs;
      const rows = await readRows(pool, workspaceId, fromMs, fromMs - lengthMs, step);
      const current = rows.filter(({ at }) => at >= fromMs);
      const bySpan = Map.groupBy(current, ({ at }) => at);
      const { live, test, errors } = figuresOf(rows.filter(({ at }) => at < fromMs));
      return {
        step,
        spans: Array.from({ length: lengthMs / stepMs }, (_, i) => {
          const at = fromMs + i * stepMs;
          return { at: new Date(at).toISOString(), ...figuresOf(bySpan.get(at) ?? []) };
        }),
        total: figuresOf(current),
        before: { live, test, errors },
      };
    },
  );
}

interface TrafficRow extends LatencyCount {
  /** Begin of the span, milliseconds. */
  readonly at: number;
  readonly mode: 'live' | 'test';
  readonly errors: number;
}

/** The range's rows by their span; what came before it is one span, whose begin does not matter. */
async function readRows(
  pool: Connections,
  workspaceId: string,
  fromMs: number,
  beforeMs: number,
  step: Traffic['step'],
): Promise<readonly TrafficRow[]> {
  const { rows } = await pool.query<TrafficRow>(
    `select case when hour < $2 then 0 else (extract(epoch from date_trunc($4, hour)) * 1000)::bigint end as at,
       mode, bucket, sum(requests)::bigint as requests, sum(errors)::bigint as errors
     from traffic where workspace_id = $1 and hour >= $3 group by 1, mode, bucket`,
    [workspaceId, new Date(fromMs).toISOString(), new Date(beforeMs).toISOString(), step],
  );
  return rows;
}

function figuresOf(rows: readonly TrafficRow[]): TrafficFigures {
  const sum = (of: (row: TrafficRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    live: sum(({ mode, requests }) => (mode === 'live' ? requests : 0)),
    test: sum(({ mode, requests }) => (mode === 'test' ? requests : 0)),
    errors: sum(({ errors }) => errors),
    p50: latencyQuantile(rows, MEDIAN),
    p95: latencyQuantile(rows, SLOW),
  };
}
