import type pg from 'pg';
import type { FinalWorkspace, LogRow } from './history.ts';

/** The data of a workspace in the database after the last write. */
export async function finalState(
  pool: pg.Pool,
  workspaceId: string,
  exactCount: number,
): Promise<FinalWorkspace> {
  const rowsOf = async <T extends pg.QueryResultRow>(text: string): Promise<readonly T[]> =>
    (await pool.query<T>(text, [workspaceId])).rows;
  const [meter] = await rowsOf<{ live_quota: number | null; live_requests: number }>(
    'select live_quota, live_requests from live_meters where workspace_id = $1',
  );
  const [counter] = await rowsOf<{ records: number }>(
    `select coalesce(sum(records), 0)::int as records from record_counts
     where workspace_id = $1 and resource = 'audits' and company_id = ''`,
  );
  return {
    workspaceId,
    audits: await rowsOf('select id, doc from audits where workspace_id = $1 order by created_at, id'),
    content: await rowsOf(
      'select id, title, doc from content where workspace_id = $1 order by created_at, id',
    ),
    log: await rowsOf<LogRow>(
      `select id, kind, doc::json->>'requestId' as "requestId", (doc::json->>'status')::int as status,
         case when kind = 'stream.closed' then (doc::json->'details'->>'changes')::int end as streamed
       from audit_log where workspace_id = $1 order by created_at, id`,
    ),
    counted: counter?.records ?? 0,
    exactCount,
    liveQuota: meter?.live_quota ?? null,
    liveRequests: meter?.live_requests ?? 0,
  };
}
