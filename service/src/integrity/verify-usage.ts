import { lockUsageMark } from '../audit-log/usage/count-usage.ts';
import { statement } from '../database/statement.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';

/**
 * Selects usage per live key and day that differs from the entries, in one snapshot. It compares only days that are complete
 * in the log: after those with entries that a node of an earlier release has counted, and not before the oldest entry.
 */
const DIFFERENCES = `select key_id, day, coalesce(e.requests, 0) as requests, coalesce(e.errors, 0) as errors, e.last_used_at,
    format('key %s on %s: stored %s (failed: %s), counted %s (failed: %s)', key_id, day, coalesce(u.requests, 0),
      coalesce(u.errors, 0), coalesce(e.requests, 0), coalesce(e.errors, 0)) as detail
  from (
    select key_id, created_at::date as day, count(*) as requests, count(*) filter (where status >= 400) as errors,
      date_trunc('minute', max(created_at)) as last_used_at
    from audit_log where workspace_id = $1 and kind = 'api.request'
      and created_at <= (select counted_until from usage_marks where workspace_id = $1) group by 1, 2
  ) e full join (
    select key_id, day, requests, errors from key_usage where workspace_id = $1
      and key_id in (select id from api_keys where workspace_id = $1 and mode = 'live')
  ) u using (key_id, day)
  where (coalesce(e.requests, 0), coalesce(e.errors, 0)) <> (coalesce(u.requests, 0), coalesce(u.errors, 0)) and day >= (
    select greatest(min(created_at)::date, max(created_at) filter (where kind = 'api.request' and latency_bucket is null)::date + 1)
    from audit_log where workspace_id = $1)`;

const selectDifferences = statement('verify_usage', 'bulk')`${DIFFERENCES} order by day, key_id`;
const repairUsage = statement('repair_usage', 'bulk')`
  insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
  select $1, key_id, day, requests, errors, last_used_at from (${DIFFERENCES}) d
  on conflict (workspace_id, key_id, day) do update set requests = excluded.requests, errors = excluded.errors,
    last_used_at = coalesce(excluded.last_used_at, u.last_used_at)`;

/** Finds a mark that is later than all times that the log has given: entries until then would not be counted. */
const MARK_AHEAD = `(select greatest(last_entry_at, (select max(created_at) from audit_log where workspace_id = $1)) as at
    from live_meters where workspace_id = $1) newest where workspace_id = $1 and counted_until > newest.at`;
const selectMarkAhead = statement('verify_usage_mark', 'request')`
  select format('counted until %s, later than the newest entry', counted_until) as detail from usage_marks, ${MARK_AHEAD}`;
const repairMark = statement('repair_usage_mark', 'request')`
  update usage_marks set counted_until = newest.at from ${MARK_AHEAD}`;

/** Verifies the usage of a workspace, as far as it is counted. While the repair runs, nothing is counted. */
export async function verifyUsage(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  const wrong = await withoutStatementTimeout(pool, async (client) => {
    if (repair) await client.query(lockUsageMark(workspaceId));
    const ahead = await client.query<{ detail: string }>(selectMarkAhead(workspaceId));
    if (repair && ahead.rows.length > 0) await client.query(repairMark(workspaceId));
    const { rows } = await client.query<{ detail: string }>(selectDifferences(workspaceId));
    if (repair && rows.length > 0) await client.query(repairUsage(workspaceId));
    return [...ahead.rows, ...rows];
  });
  for (const { detail } of wrong)
    await onFinding({ workspaceId, problem: 'usage', detail, repaired: repair });
}
