import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import type { Connections } from '../../database/lane.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from '../limits.ts';
import type { Usage } from '../wire.ts';

/** Requests per day and key of the last `days` days (UTC, today included), and how the month's quota stands. */
export function registerUsage(api: FastifyInstance, { pool, sessions }: DashboardContext): void {
  api.get<{ Querystring: Record<string, unknown> }>(
    '/workspaces/:workspaceId/usage',
    async (request, reply): Promise<Usage> => {
      const { workspaceId } = await sessions.member(request, reply);
      const days = daysOf(request.query);
      return { data: await readDays(pool, workspaceId, days), month: await readMonth(pool, workspaceId) };
    },
  );
}

function daysOf(query: Readonly<Record<string, unknown>>): number {
  allowParameters(query, ['days']);
  const { days = String(USAGE_DAYS_DEFAULT) } = query;
  const number = typeof days === 'string' && /^[1-9]\d{0,2}$/.test(days) ? Number(days) : Number.NaN;
  if (number <= USAGE_DAYS_MAX) return number;
  throw new ApiError('invalid_parameter', `"days" must be an integer from 1 to ${USAGE_DAYS_MAX}.`);
}

async function readDays(pool: Connections, workspaceId: string, days: number): Promise<Usage['data']> {
  const { rows } = await pool.query<Usage['data'][number]>(
    `select to_char(day, 'YYYY-MM-DD') as day, key_id as "keyId", requests, errors from key_usage
     where workspace_id = $1 and day > now()::date - $2::int
     order by day desc, key_id`,
    [workspaceId, days],
  );
  return rows;
}

/** How the month's live quota stands. */
export async function readMonth(pool: Connections, workspaceId: string): Promise<Usage['month']> {
  const { rows } = await pool.query<Usage['month']>(
    `select ${utc('starts')} as "startsAt", ${utc("(starts + interval '1 month')")} as "endsAt",
       case when month = starts::date then live_requests else 0 end as used, live_quota as "limit"
     from live_meters, date_trunc('month', now()) as starts where workspace_id = $1`,
    [workspaceId],
  );
  const [row] = rows;
  if (row === undefined) throw new ApiError('not_found', 'There is no such workspace.');
  return row;
}
