import { isId } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import type { Connections } from '../../database/lane.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { SCORE_COMPANIES_MAX, SCORE_SPANS } from '../limits.ts';
import { parseRange, RANGES_MS, type RangeName } from '../workspace/range.ts';
import type { Scores } from './wire-data.ts';

type Query = { Querystring: Record<string, unknown> };

/** Headline scores over time, of one company or of those with the most audits. */
export function registerScores(api: FastifyInstance, { pool, sessions, clock }: DashboardContext): void {
  api.get<Query>('/workspaces/:workspaceId/scores', async (request, reply): Promise<Scores> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, ['range', 'companyId']);
    const range = parseRange(request.query['range']);
    const { companyId } = request.query;
    if (companyId !== undefined && !(typeof companyId === 'string' && isId(companyId))) {
      throw new ApiError('invalid_parameter', '"companyId" must be the id of a company.');
    }
    return readScores(pool, workspaceId, range, clock(), companyId);
  });
}

interface ScoreRow {
  readonly id: string;
  readonly name: string;
  /** The score of each span's last audit, by the span's number. */
  readonly scores: Readonly<Record<string, number>> | null;
}

/**
 * The last audit of each span is one look into an index, so the plot costs the same however many audits there are.
 */
async function readScores(
  pool: Connections,
  workspaceId: string,
  range: RangeName,
  nowMs: number,
  companyId: string | undefined,
): Promise<Scores> {
  const spanMs = RANGES_MS[range] / SCORE_SPANS;
  const fromMs = nowMs - RANGES_MS[range];
  const { rows } = await pool.query<ScoreRow>(
    `with chosen as (
      select c.id, c.name, coalesce(n.records, 0) as audits from companies c
      left join record_counts n on n.workspace_id = $1 and n.resource = 'audits' and n.company_id = c.id
      where c.workspace_id = $1 and ($5::text is null or c.id = $5)
      order by audits desc, c.id limit $6
    )
    select id, name, (
      select json_object_agg(span, last.headline_score) from generate_series(0, $4::int - 1) as span
      cross join lateral (
        select headline_score from audits a
        where a.workspace_id = $1 and a.company_id = chosen.id
          and a.completed_at > $2::timestamptz + span * $3::float8 * interval '1 millisecond'
          and a.completed_at <= $2::timestamptz + (span + 1) * $3::float8 * interval '1 millisecond'
        order by a.completed_at desc, a.id desc limit 1
      ) last
    ) as scores
    from chosen order by name, id`,
    [
      workspaceId,
      new Date(fromMs).toISOString(),
      spanMs,
      SCORE_SPANS,
      companyId ?? null,
      SCORE_COMPANIES_MAX,
    ],
  );
  const spans = Array.from({ length: SCORE_SPANS }, (_, span) => span);
  return {
    times: spans.map((span) => new Date(fromMs + (span + 1) * spanMs).toISOString()),
    companies: rows.map(({ id, name, scores }) => ({
      id,
      name,
      scores: spans.map((span) => scores?.[span] ?? null),
    })),
  };
}
