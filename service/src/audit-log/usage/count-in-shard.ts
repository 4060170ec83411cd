import type { Connections } from '@svc/turns/lane';
import { inTransaction } from '../../database/pool.ts';
import { preparedStatement } from '../../database/statement.ts';
import { type Counted, lockUsageMark, setUpCounting, type TestSum } from './count-usage.ts';

const lockFreeMark = preparedStatement('lock_free_usage_mark', 'request')`
  select counted_until::text as mark from usage_marks where workspace_id = $1 for no key update skip locked`;
const selectMark = preparedStatement('has_usage_mark', 'request')`
  select from usage_marks where workspace_id = $1`;
const selectEnd = preparedStatement('end_of_uncounted', 'bulk')`
  select max(created_at)::text as last, count(*)::int as entries from (
    select created_at from audit_log where workspace_id = $1 and created_at > $2::timestamptz order by created_at, id limit $3) e`;

/** Entries without a latency were counted by the node of an earlier release that wrote them. */
const UNCOUNTED = `from audit_log where workspace_id = $1 and created_at > $2::timestamptz and created_at <= $3::timestamptz
    and latency_bucket is not null`;
const ON_USAGE = `on conflict (workspace_id, key_id, day) do update set requests = u.requests + excluded.requests,
    errors = u.errors + excluded.errors, last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;
const ON_TRAFFIC = `on conflict (workspace_id, hour, mode, bucket) do update set requests = t.requests + excluded.requests,
    errors = t.errors + excluded.errors`;
// The nodes of a cluster may have another time zone than the connection, so days and hours name theirs.
const addUsage = preparedStatement('count_usage_in_shard', 'bulk')`
  insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
  select workspace_id, key_id, (created_at at time zone 'UTC')::date, count(*), count(*) filter (where status >= 400),
    date_trunc('minute', max(created_at), 'UTC')
  ${UNCOUNTED} group by 1, 2, 3 ${ON_USAGE}`;
const addTraffic = preparedStatement('count_traffic_in_shard', 'bulk')`
  insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
  select workspace_id, date_trunc('hour', created_at, 'UTC'), 'live', latency_bucket, count(*),
    count(*) filter (where status >= 400)
  ${UNCOUNTED} group by 1, 2, 3, 4 ${ON_TRAFFIC}`;

// The workspace comes from a table, so that the rows are inserted where they are selected.
const TEST_SUMS = `from usage_marks m
  cross join json_to_recordset($2::json) as s (key_id text, bucket smallint, requests int, errors int)
  where m.workspace_id = $1`;
const addTestUsage = preparedStatement('count_test_usage_in_shard', 'bulk')`
  insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
  select m.workspace_id, key_id, (now() at time zone 'UTC')::date, sum(requests), sum(errors),
    date_trunc('minute', now(), 'UTC')
  ${TEST_SUMS} group by 1, 2 ${ON_USAGE}`;
const addTestTraffic = preparedStatement('count_test_traffic_in_shard', 'bulk')`
  insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
  select m.workspace_id, date_trunc('hour', now(), 'UTC'), 'test', bucket, sum(requests), sum(errors)
  ${TEST_SUMS} group by 1, 4 ${ON_TRAFFIC}`;
const moveMark = preparedStatement('move_usage_mark', 'request')`
  update usage_marks set counted_until = $2::timestamptz where workspace_id = $1`;

const callFunction = preparedStatement('count_entries_in_shard', 'bulk')`
  select workspace as workspace_id, counted from count_entries($1, $2, $3)`;

/** Does what `countUsage` does, without sums, for workspaces that are on one node of a cluster: in one call there. */
export async function countEntries(
  connections: Connections,
  workspaceIds: readonly string[],
  entriesMax: number,
): Promise<ReadonlyMap<string, Counted>> {
  const [anchor] = workspaceIds;
  if (anchor === undefined) return new Map();
  const { rows } = await connections.query<{ workspace_id: string; counted: Counted }>(
    callFunction(anchor, workspaceIds, entriesMax),
  );
  return new Map(rows.map(({ workspace_id, counted }) => [workspace_id, counted]));
}

/**
 * Does what `countUsage` does in a cluster of Citus, for one workspace. Each statement runs on the node of the workspace,
 * and no other process can count it meanwhile. The entries until the last one that was read are committed, so all
 * statements see them.
 */
export function countUsageInShard(
  connections: Connections,
  workspaceId: string,
  sums: readonly TestSum[],
  entriesMax: number,
  waits: boolean,
): Promise<Counted> {
  return inTransaction(connections, async (client) => {
    if (waits) await client.query(lockUsageMark(workspaceId));
    await client.query(setUpCounting());
    const { rows: marks } = await client.query<{ mark: string }>(lockFreeMark(workspaceId));
    const mark = marks[0]?.mark;
    if (mark === undefined)
      return (await client.query(selectMark(workspaceId))).rowCount === 0 ? 'all' : 'nothing';
    if (sums.length > 0) {
      const json = JSON.stringify(sums);
      await client.query(addTestUsage(workspaceId, json));
      await client.query(addTestTraffic(workspaceId, json));
    }
    const { rows: ends } = await client.query<{ last: string | null; entries: number }>(
      selectEnd(workspaceId, mark, entriesMax),
    );
    const { last = null, entries = 0 } = ends[0] ?? {};
    if (last !== null) {
      await client.query(addUsage(workspaceId, mark, last));
      await client.query(addTraffic(workspaceId, mark, last));
      await client.query(moveMark(workspaceId, last));
    }
    return entries === entriesMax ? 'some' : 'all';
  });
}
