import type { Connections } from '@svc/turns/lane';
import { USAGE_LOCK_TIMEOUT_MS, USAGE_STATEMENT_TIMEOUT_MS } from '../../config/limits.ts';
import { inTransaction } from '../../database/pool.ts';
import { preparedStatement, statement } from '../../database/statement.ts';

/** Requests with a test key that took about the same time. They have no entries. */
export interface TestSum {
  readonly key_id: string;
  /** Of the latency (latency.ts). */
  readonly bucket: number;
  readonly requests: number;
  readonly errors: number;
}

/** What was counted of a workspace. `some`: more entries are left. `nothing`: another process counts it now. */
export type Counted = 'all' | 'some' | 'nothing';

/** Until the transaction ends. The log has the entries, so the commit need not be on the disk. */
export const setUpCounting = statement('set_up_count_usage', 'control')`
  select set_config('statement_timeout', '${USAGE_STATEMENT_TIMEOUT_MS}', true),
    set_config('lock_timeout', '${USAGE_LOCK_TIMEOUT_MS}', true), set_config('synchronous_commit', 'off', true)`;

/** Waits while another process counts the workspace. */
export const lockUsageMark = statement('lock_usage_mark', 'request')`
  select from usage_marks where workspace_id = $1 for no key update`;

/**
 * Adds the entries after the mark of each workspace to the usage per day and the traffic per hour, and moves the mark. All
 * of it is committed together, and the row of the mark is locked, so each entry is counted once. The entries of a workspace
 * are in the order of their commits, so none is skipped. Entries without a latency were counted by the node of an earlier
 * release that wrote them.
 *
 * Each look-up is a range of a primary key, whatever the planner expects: hence the lateral subqueries and `on conflict`.
 */
const count = preparedStatement('count_usage', 'bulk')`with marks as materialized (
    select m.* from unnest($1::text[]) as w (workspace_id) cross join lateral (
      select * from usage_marks where workspace_id = w.workspace_id for no key update skip locked) m
  ),
  entries as materialized (
    select m.workspace_id, e.* from marks m cross join lateral (
      select created_at, key_id, status, latency_bucket from audit_log
      where workspace_id = m.workspace_id and created_at > m.counted_until order by created_at, id limit $2) e
  ),
  counted as materialized (
    select workspace_id, key_id, created_at as at, 'live' as mode, latency_bucket as bucket, 1 as requests,
      case when status >= 400 then 1 else 0 end as errors
    from entries where latency_bucket is not null
    union all
    select workspace_id, key_id, now(), 'test', bucket, requests, errors
    from json_to_recordset($3) as t (workspace_id text, key_id text, bucket smallint, requests int, errors int)
    join marks using (workspace_id)
  ),
  usage as (
    insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
    select workspace_id, key_id, at::date, sum(requests), sum(errors), date_trunc('minute', max(at))
    from counted group by 1, 2, 3 order by 1, 2, 3
    on conflict (workspace_id, key_id, day) do update set requests = u.requests + excluded.requests,
      errors = u.errors + excluded.errors, last_used_at = greatest(u.last_used_at, excluded.last_used_at)
  ),
  hours as (
    insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
    select workspace_id, date_trunc('hour', at), mode, bucket, sum(requests), sum(errors)
    from counted group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (workspace_id, hour, mode, bucket) do update
      set requests = t.requests + excluded.requests, errors = t.errors + excluded.errors
  ),
  read as (select workspace_id, max(created_at) as last, count(*) as entries from entries group by 1),
  moved as (
    insert into usage_marks (workspace_id, counted_until) select workspace_id, last from read
    on conflict (workspace_id) do update set counted_until = excluded.counted_until
  )
  select w.workspace_id, case
      when entries = $2 then 'some'
      when m.workspace_id is null and (select true from usage_marks u where u.workspace_id = w.workspace_id) then 'nothing'
      else 'all' end as counted
  from unnest($1) as w (workspace_id) left join marks m using (workspace_id) left join read using (workspace_id)`;

/**
 * Counts the usage of workspaces: the sums of their test requests, and at most `entriesMax` entries of each. Returns how
 * much was counted. `waitFor`: a workspace to wait for, if another process counts it now.
 */
export async function countUsage(
  connections: Connections,
  workspaces: ReadonlyMap<string, readonly TestSum[]>,
  entriesMax: number,
  waitFor?: string,
): Promise<ReadonlyMap<string, Counted>> {
  const sums = [...workspaces].flatMap(([workspace_id, own]) => own.map((sum) => ({ workspace_id, ...sum })));
  return inTransaction(connections, async (client) => {
    if (waitFor !== undefined) await client.query(lockUsageMark(waitFor));
    await client.query(setUpCounting());
    const { rows } = await client.query<{ workspace_id: string; counted: Counted }>(
      count([...workspaces.keys()], entriesMax, JSON.stringify(sums)),
    );
    return new Map(rows.map(({ workspace_id, counted }) => [workspace_id, counted]));
  });
}

const SEARCHED_MAX = 1_000;

/** Of the next workspaces after $1: `last` is the last one, and `found` those with entries after their marks. */
export const searchMarks = statement('search_usage_marks', 'bulk')`
  select max(workspace_id) as last, coalesce(array_agg(workspace_id) filter (where counted_until < last_entry_at), '{}') as found
  from (
    select workspace_id, counted_until,
      (select last_entry_at from live_meters m where m.workspace_id = u.workspace_id) as last_entry_at
    from usage_marks u where workspace_id > $1 order by workspace_id limit ${SEARCHED_MAX}
  ) u`;
