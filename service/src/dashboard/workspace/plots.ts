import { type LatencyCount, latencyQuantile } from '@svc/latency-buckets';
import { isId } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { HOUR_MS } from '../../config/time.ts';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { WORKSPACE_KEY } from '../../list/short-keys.ts';
import type { DashboardContext } from '../context.ts';
import { SCORE_AUDITS_SAMPLED, SCORE_COMPANIES_MAX, SCORE_SPANS } from '../limits.ts';
import { parseRange, spansOf } from '../range.ts';
import type { Scores, Traffic, TrafficFigures } from '../wire.ts';

type Query = { Querystring: Record<string, unknown> };

const MEDIAN = 0.5;
const SLOW = 0.95;

/** Figures over time. */
export function registerPlots(api: FastifyInstance, context: DashboardContext): void {
  const { pool, sessions, usage, clock } = context;
  // Requests, failures and latencies per hour or, in a longer range, per day (UTC).
  api.get<Query>('/workspaces/:workspaceId/traffic', async (request, reply): Promise<Traffic> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, ['range']);
    const lengthMs = parseRange(request.query['range']);
    await usage.catchUp(workspaceId);
    const nowMs = clock();
    const spans = spansOf(lengthMs, nowMs);
    const { step, fromMs } = spans;
    const rows = await readTraffic(pool, workspaceId, fromMs, fromMs - (nowMs - fromMs), step);
    const current = rows.filter(({ at }) => at >= fromMs);
    const { live, test, errors } = figuresOf(rows.filter(({ at }) => at < fromMs));
    return {
      step,
      spans: spans.map(current, figuresOf),
      total: figuresOf(current),
      before: { live, test, errors },
    };
  });

  // Headline scores of one company, or of those that were audited most often in the range.
  api.get<Query>('/workspaces/:workspaceId/scores', async (request, reply): Promise<Scores> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, ['range', 'companyId']);
    const lengthMs = parseRange(request.query['range']);
    const { companyId = null } = request.query;
    if (companyId !== null && !(typeof companyId === 'string' && isId(companyId))) {
      throw new ApiError('invalid_parameter', '"companyId" must be the id of a company.');
    }
    const fromMs = clock() - lengthMs;
    const spanMs = lengthMs / SCORE_SPANS;
    const rows = await readScores(pool, workspaceId, fromMs, spanMs, companyId);
    const spans = Array.from({ length: SCORE_SPANS }, (_, span) => span);
    return {
      times: spans.map((span) => new Date(fromMs + (span + 1) * spanMs).toISOString()),
      companies: rows.map(({ id, name, scores }) => ({
        id,
        name,
        scores: spans.map((span) => scores?.[span] ?? null),
      })),
    };
  });
}

interface TrafficRow extends LatencyCount {
  /** Start of the span in milliseconds. 0: before the range. */
  readonly at: number;
  readonly mode: 'live' | 'test';
  readonly errors: number;
}

const selectTraffic = statement('traffic', 'request')`
  select case when hour < $2 then 0 else (extract(epoch from date_trunc($4, hour)) * 1000)::bigint end as at,
    mode, bucket, sum(requests * share) as requests, sum(errors * share) as errors
  from (
    select *, case when hour < $3 then $5::float8 else 1 end as share
    from traffic where workspace_id = $1 and hour > $3::timestamptz - interval '1 hour'
  ) shared group by 1, mode, bucket`;

/**
 * The rows of the range by span. The rows between `beforeMs` and the range are one span. The hour that contains `beforeMs`
 * counts in part, because the table has one row per hour.
 */
async function readTraffic(
  pool: Connections,
  workspaceId: string,
  fromMs: number,
  beforeMs: number,
  step: Traffic['step'],
): Promise<readonly TrafficRow[]> {
  const from = new Date(fromMs).toISOString();
  const before = new Date(beforeMs).toISOString();
  const share = 1 - (beforeMs % HOUR_MS) / HOUR_MS;
  const { rows } = await pool.query<TrafficRow>(selectTraffic(workspaceId, from, before, step, share));
  return rows;
}

function figuresOf(rows: readonly TrafficRow[]): TrafficFigures {
  const sum = (of: (row: TrafficRow) => number): number =>
    Math.round(rows.reduce((total, row) => total + of(row), 0));
  return {
    live: sum(({ mode, requests }) => (mode === 'live' ? requests : 0)),
    test: sum(({ mode, requests }) => (mode === 'test' ? requests : 0)),
    errors: sum(({ errors }) => errors),
    p50: latencyQuantile(rows, MEDIAN),
    p95: latencyQuantile(rows, SLOW),
  };
}

interface ScoreRow {
  readonly id: string;
  readonly name: string;
  /** The score of the last audit of each span, by the number of the span. */
  readonly scores: Readonly<Record<string, number>> | null;
}

const SPAN = `> $2::timestamptz + span * $3::float8 * interval '1 millisecond'
      and completed_at <= $2::timestamptz + (span + 1) * $3::float8 * interval '1 millisecond'`;

/** The companies that appear in the most spans, among the last audits of each span. */
const selectScores = statement('scores_of_companies', 'bulk')`
  with sampled as (
    select span, company_id from generate_series(0, $4::int - 1) as span cross join lateral (
      select company_id from audits
      where workspace_id = $1 and ${WORKSPACE_KEY} and completed_at ${SPAN}
      order by completed_at desc limit $7) last
    where $5::text is null
  ),
  chosen as (
    select top.id, company.name, company_key($1, top.id) as key
    from (
      (select company_id as id from sampled group by 1 order by count(distinct span) desc, count(*) desc, 1 limit $6)
      union all select $5 where $5 is not null
    ) top cross join lateral (${lookUp({ select: 'name', from: 'companies', key: 'top.id' })}) company
  )
  select id, name, (
    select json_object_agg(span, last.headline_score) from generate_series(0, $4::int - 1) as span
    cross join lateral (
      select company_id, completed_at, headline_score from audits
      where workspace_id = $1 and company_id = chosen.id and company_key >= chosen.key
        and (company_key, completed_at) <= (chosen.key, $2::timestamptz + (span + 1) * $3::float8 * interval '1 millisecond')
      order by company_key desc, completed_at desc, id_order desc limit 1
    ) last where completed_at ${SPAN}
  ) as scores
  from chosen order by name, id`;

/** The last audit of each span is one look-up in an index, so the cost does not depend on the number of audits. */
async function readScores(
  pool: Connections,
  workspaceId: string,
  fromMs: number,
  spanMs: number,
  companyId: string | null,
): Promise<readonly ScoreRow[]> {
  const { rows } = await pool.query<ScoreRow>(
    selectScores(
      workspaceId,
      new Date(fromMs).toISOString(),
      spanMs,
      SCORE_SPANS,
      companyId,
      SCORE_COMPANIES_MAX,
      SCORE_AUDITS_SAMPLED,
    ),
  );
  return rows;
}
