import { CONTRACT } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import type { Connections } from '../../database/lane.ts';
import type { DashboardContext } from '../context.ts';
import { CONTENT_COUNTED_MAX, MENTIONS_WEIGHED } from '../limits.ts';
import { readMonth } from './usage.ts';
import type { Overview } from './wire-overview.ts';

/** How a workspace stands, each figure from an index or a kept counter: the same cost at any size. */
export function registerOverview(api: FastifyInstance, { pool, sessions }: DashboardContext): void {
  api.get('/workspaces/:workspaceId/overview', async (request, reply): Promise<Overview> => {
    const { workspaceId } = await sessions.member(request, reply);
    const [month, forecast, begun, counts, sentiments, statuses] = await Promise.all([
      readMonth(pool, workspaceId),
      readForecast(pool, workspaceId),
      readBegun(pool, workspaceId),
      readCounts(pool, workspaceId),
      readSentiments(pool, workspaceId),
      readStatuses(pool, workspaceId),
    ]);
    return {
      month: { ...month, forecast: month.used + forecast },
      begun: { ...begun, records: Object.values(counts).some((count) => count > 0) },
      counts,
      sentiments,
      content: statuses,
    };
  });
}

/**
 * Live requests from now to the end of the month (UTC), if they go on as in the last seven days, or since the first of
 * them when that is more recent, but at least over a day: an hour says little of a month.
 */
async function readForecast(pool: Connections, workspaceId: string): Promise<number> {
  const { rows } = await pool.query<{ expected: number }>(
    `select round(coalesce(sum(requests), 0)
       / greatest(extract(epoch from now() - min(hour)), 86400)
       * extract(epoch from date_trunc('month', now()) + interval '1 month' - now()))::bigint as expected
     from traffic where workspace_id = $1 and mode = 'live' and hour > now() - interval '7 days'`,
    [workspaceId],
  );
  return rows[0]?.expected ?? 0;
}

async function readBegun(
  pool: Connections,
  workspaceId: string,
): Promise<{ readonly key: boolean; readonly request: boolean }> {
  const { rows } = await pool.query<{ key: boolean; request: boolean }>(
    `select exists (select from api_keys where workspace_id = $1) as key,
       exists (select from key_usage where workspace_id = $1) as request`,
    [workspaceId],
  );
  return rows[0] ?? { key: false, request: false };
}

async function readCounts(pool: Connections, workspaceId: string): Promise<Overview['counts']> {
  const { rows } = await pool.query<{ resource: string; records: number }>(
    `select resource, records from record_counts where workspace_id = $1 and company_id = ''`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map(({ resource, records }) => [resource, records]));
}

async function readSentiments(pool: Connections, workspaceId: string): Promise<Overview['sentiments']> {
  const { rows } = await pool.query<{ value: string; records: number }>(
    `select sentiment as value, count(*) as records from (
       select sentiment from mentions where workspace_id = $1 order by created_at desc, id desc limit $2
     ) newest group by sentiment`,
    [workspaceId, MENTIONS_WEIGHED],
  );
  return byValue(CONTRACT.mentions.fields.sentiment.values, rows) as Overview['sentiments'];
}

async function readStatuses(pool: Connections, workspaceId: string): Promise<Overview['content']> {
  const { rows } = await pool.query<{ value: string; records: number }>(
    `select value, (select count(*) from (
       select from content where workspace_id = $1 and status = value limit $3) counted) as records
     from unnest($2::text[]) as value`,
    [workspaceId, CONTRACT.content.fields.status.values, CONTENT_COUNTED_MAX],
  );
  return byValue(CONTRACT.content.fields.status.values, rows) as Overview['content'];
}

/** Every value that the field may have, 0 where there is none. */
const byValue = (
  values: readonly string[],
  rows: readonly { readonly value: string; readonly records: number }[],
): Readonly<Record<string, number>> =>
  Object.fromEntries(values.map((value) => [value, rows.find((row) => row.value === value)?.records ?? 0]));
