import { CONTRACT } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { RESOURCES } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { CONTENT_COUNTED_MAX, MENTIONS_WEIGHED } from '../limits.ts';
import { noWorkspace } from '../requests/session.ts';
import type { Month, Overview } from '../wire.ts';

type Query = { Querystring: Readonly<Record<string, unknown>> };

/** The figures of a workspace. Each comes from an index or a stored counter, so it costs the same at any size. */
export function registerOverview(api: FastifyInstance, { pool, sessions, usage }: DashboardContext): void {
  api.get('/workspaces/:workspaceId/overview', async (request, reply): Promise<Overview> => {
    const { workspaceId } = await sessions.member(request, reply);
    await usage.catchUp(workspaceId);
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
      content: withRest(statuses, counts['content'] ?? 0),
    };
  });

  // The live quota, for a banner on every page. The count is exact: it is written with each entry.
  api.get<Query>('/workspaces/:workspaceId/month', async (request, reply): Promise<Month> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, []);
    return readMonth(pool, workspaceId);
  });
}

const selectMonth = statement('live_requests_of_month', 'request')`
  select ${utc('starts')} as "startsAt", ${utc("(starts + interval '1 month')")} as "endsAt",
    case when month = starts::date then live_requests else 0 end as used, live_quota as "limit"
  from live_meters, date_trunc('month', now()) as starts where workspace_id = $1`;

/** The live quota of the present month, and how much of it is used. */
async function readMonth(pool: Connections, workspaceId: string): Promise<Month> {
  const { rows } = await pool.query<Month>(selectMonth(workspaceId));
  const [row] = rows;
  if (row === undefined) throw noWorkspace();
  return row;
}

const selectForecast = statement('expected_requests', 'request')`
  select round(coalesce(sum(requests), 0)
    / greatest(extract(epoch from now() - min(hour)), 86400)
    * extract(epoch from date_trunc('month', now()) + interval '1 month' - now()))::bigint as expected
  from traffic where workspace_id = $1 and mode = 'live' and hour > now() - interval '7 days'`;

/**
 * The live requests expected from now to the end of the month (UTC), at the rate of the last seven days. If the first of
 * those requests is more recent, the rate starts with it, but covers at least a day: an hour says little about a month.
 */
async function readForecast(pool: Connections, workspaceId: string): Promise<number> {
  const { rows } = await pool.query<{ expected: number }>(selectForecast(workspaceId));
  return rows[0]?.expected ?? 0;
}

const selectBegun = statement('workspace_has_begun', 'request')`
  select exists (select from api_keys where workspace_id = $1) as key,
  exists (select from key_usage where workspace_id = $1) as request`;

async function readBegun(
  pool: Connections,
  workspaceId: string,
): Promise<Pick<Overview['begun'], 'key' | 'request'>> {
  const { rows } = await pool.query<{ key: boolean; request: boolean }>(selectBegun(workspaceId));
  return rows[0] ?? { key: false, request: false };
}

const selectCounts = statement('counts_of_workspace', 'request')`
  select wanted.resource, records from unnest($2::text[]) as wanted (resource) cross join lateral (
    select records from record_counts c where workspace_id = $1 and c.resource = wanted.resource and company_id = '' limit 1) counter`;

async function readCounts(pool: Connections, workspaceId: string): Promise<Overview['counts']> {
  const { rows } = await pool.query<{ resource: string; records: number }>(
    selectCounts(
      workspaceId,
      RESOURCES.map(({ name }) => name),
    ),
  );
  return Object.fromEntries(rows.map(({ resource, records }) => [resource, records]));
}

const selectSentiments = statement('newest_sentiments', 'request')`
  select sentiment as value, count(*) as records from (
    select sentiment from mentions where workspace_id = $1 order by created_at desc, id desc limit $2
  ) newest group by sentiment`;

async function readSentiments(pool: Connections, workspaceId: string): Promise<Overview['sentiments']> {
  const { rows } = await pool.query<ValueCount>(selectSentiments(workspaceId, MENTIONS_WEIGHED));
  return countsByValue(CONTRACT.mentions.fields.sentiment.values, rows) as Overview['sentiments'];
}

const selectStatuses = statement('content_per_status', 'bulk')`
  select value, (select count(*) from (
    select from content where workspace_id = $1 and status >= value and status <= value order by status limit $3) counted) as records
  from unnest($2::text[]) as value`;

async function readStatuses(pool: Connections, workspaceId: string): Promise<Overview['content']> {
  const { values } = CONTRACT.content.fields.status;
  const { rows } = await pool.query<ValueCount>(selectStatuses(workspaceId, values, CONTENT_COUNTED_MAX + 1));
  return countsByValue(values, rows) as Overview['content'];
}

/** The counts, with that of the only status with more than CONTENT_COUNTED_MAX, if there is one, from the total. */
function withRest(content: Overview['content'], total: number): Overview['content'] {
  const [most, ...others] = Object.entries(content).sort(([, a], [, b]) => b - a);
  const isOver = ([, count]: readonly [string, number]): boolean => count > CONTENT_COUNTED_MAX;
  if (most === undefined || !isOver(most) || others.some(isOver)) return content;
  return { ...content, [most[0]]: others.reduce((left, [, count]) => left - count, total) };
}

interface ValueCount {
  readonly value: string;
  readonly records: number;
}

/** The count of every value that the field may have. */
const countsByValue = (values: readonly string[], rows: readonly ValueCount[]) =>
  Object.fromEntries(values.map((value) => [value, rows.find((row) => row.value === value)?.records ?? 0]));
