import type { QuotaState } from '../audit-log/append-requests.ts';
import type { Queryable } from '../database/lane.ts';

/** The workspace's live quota and what this month has used of it; null when none is set. */
export async function readQuota(connections: Queryable, workspaceId: string): Promise<QuotaState | null> {
  const { rows } = await connections.query<{ live_quota: number | null; used: number }>({
    name: 'read_quota',
    text: `select live_quota, case when month >= date_trunc('month', now())::date then live_requests else 0 end as used
      from live_meters where workspace_id = $1`,
    values: [workspaceId],
  });
  const [row] = rows;
  return row === undefined || row.live_quota === null ? null : { limit: row.live_quota, used: row.used };
}
