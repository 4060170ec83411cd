import { latencyBucket } from '@svc/latency-buckets';
import { type Micros, timeOfMicros } from '../../config/micros.ts';
import type { Queryable } from '../../database/lane.ts';
import { preparedStatement } from '../../database/statement.ts';
import { microseconds } from '../../database/utc.ts';
import type { AuditedRequest, NotWritten, Outcome, Patience } from '../append-requests.ts';
import { entryDoc } from '../entry.ts';
import { KEY_IS_VALID } from '../valid-key.ts';

/** Waits for the lock of one log, on the node of its rows. */
const waitForLog = preparedStatement('wait_for_log', 'bulk')`
  select m.workspace_id from (select set_config('lock_timeout', $2, true) as set) limited cross join lateral (
    select workspace_id from live_meters where workspace_id = $1 and limited.set is not null for no key update) m`;
const lockFree = preparedStatement('lock_free_logs', 'bulk')`
  select workspace_id, live_quota, greatest(month, date_trunc('month', now())::date)::text as month,
    case when month >= date_trunc('month', now())::date then live_requests else 0 end as used,
    ${microseconds('last_entry_at')} as last, ${microseconds('statement_timestamp()')} as now
  from live_meters where workspace_id = any($1) for no key update skip locked`;
const selectLogs = preparedStatement('logs_in_shard', 'bulk')`
  select workspace_id from live_meters where workspace_id = any($1)`;
const selectKeys = preparedStatement('valid_keys_in_shard', 'bulk')`
  select r.workspace_id, r.key_id, r.token_version
  from unnest($2::text[], $3::text[], $4::int[]) as r (workspace_id, key_id, token_version) cross join lateral (
    select from api_keys where workspace_id = r.workspace_id and workspace_id = any($1)
      and id >= r.key_id and id <= r.key_id and token_version = r.token_version and ${KEY_IS_VALID} order by id limit 1
  ) k`;
const updateMeters = preparedStatement('update_meters_in_shard', 'bulk')`
  update live_meters m set last_entry_at = n.last, month = n.month, live_requests = n.used
  from unnest($2::text[], $3::timestamptz[], $4::date[], $5::bigint[]) as n (workspace_id, last, month, used)
  where m.workspace_id = n.workspace_id and m.workspace_id = any($1)`;
// The workspace comes from a table, so that the rows are inserted where they are selected.
const insertEntries = preparedStatement('insert_entries_in_shard', 'bulk')`
  insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, latency_bucket, doc)
  select m.workspace_id, e.id, e.created_at, 'api.request', e.key_id, e.status, e.method, e.path, e.latency_bucket, e.doc
  from live_meters m join unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::smallint[], $7::text[],
    $8::text[], $9::smallint[], $10::text[])
    as e (workspace_id, id, created_at, key_id, status, method, path, latency_bucket, doc) on e.workspace_id = m.workspace_id
  where m.workspace_id = any($1)`;

interface MeterRow {
  readonly workspace_id: string;
  readonly live_quota: number | null;
  readonly month: string;
  readonly used: number;
  readonly last: Micros;
  readonly now: Micros;
}

interface Entry {
  readonly request: AuditedRequest;
  readonly at: string;
}

/** What is written of a workspace. */
interface Written {
  readonly meter: MeterRow;
  readonly outcomes: readonly Outcome[];
  readonly entries: readonly Entry[];
  readonly granted: number;
}

/**
 * Does what `writeRequests` does in a cluster of Citus, for workspaces of one shard, in the caller's transaction. Each
 * statement runs on the node of the shard. It reads the keys after it has locked the logs, so no key changes meanwhile.
 */
export async function writeRequestsInShard(
  client: Queryable,
  group: ReadonlyMap<string, readonly AuditedRequest[]>,
  { waitFor, lockTimeoutMs }: Patience,
): Promise<ReadonlyMap<string, readonly Outcome[] | NotWritten>> {
  const ids = [...group.keys()];
  if (waitFor !== undefined) await client.query(waitForLog(waitFor, String(lockTimeoutMs)));
  const { rows: meters } = await client.query<MeterRow>(lockFree(ids));
  const results = new Map<string, readonly Outcome[] | NotWritten>();
  if (meters.length < ids.length) {
    const { rows } = await client.query<{ workspace_id: string }>(selectLogs(ids));
    const existing = new Set(rows.map((row) => row.workspace_id));
    for (const id of ids) results.set(id, existing.has(id) ? 'held' : 'missing');
  }
  const locked = meters.map(({ workspace_id }) => workspace_id);
  const valid = await readValidKeys(
    client,
    locked,
    locked.flatMap((id) => group.get(id) ?? []),
  );
  const written = meters.map((meter) => outcomesOf(meter, group.get(meter.workspace_id) ?? [], valid));
  for (const { meter, outcomes } of written) results.set(meter.workspace_id, outcomes);
  const changed = written.filter(({ entries, granted }) => entries.length > 0 || granted > 0);
  if (changed.length > 0) await store(client, changed);
  return results;
}

const nameOf = (workspaceId: string, keyId: string, version: number): string =>
  `${workspaceId} ${keyId} ${version}`;

async function readValidKeys(
  client: Queryable,
  ids: readonly string[],
  requests: readonly AuditedRequest[],
): Promise<ReadonlySet<string>> {
  const wanted = new Map(
    requests.map((request) => [nameOf(request.workspaceId, request.keyId, request.tokenVersion), request]),
  );
  if (wanted.size === 0) return new Set();
  const keys = [...wanted.values()];
  const { rows } = await client.query<{ workspace_id: string; key_id: string; token_version: number }>(
    selectKeys(
      ids,
      keys.map(({ workspaceId }) => workspaceId),
      keys.map(({ keyId }) => keyId),
      keys.map(({ tokenVersion }) => tokenVersion),
    ),
  );
  return new Set(rows.map((row) => nameOf(row.workspace_id, row.key_id, row.token_version)));
}

/** Grants what is left of the quota in the order of the requests, and allocates a time for each entry. */
function outcomesOf(
  meter: MeterRow,
  requests: readonly AuditedRequest[],
  valid: ReadonlySet<string>,
): Written {
  const { live_quota: limit, used, last, now } = meter;
  const first = Math.max(now, last + 1);
  const entries: Entry[] = [];
  let granted = 0;
  const quota = () => (limit === null ? null : { limit, used: used + granted });
  const outcomes = requests.map((request): Outcome => {
    const { workspaceId, keyId, tokenVersion, counted, entry } = request;
    if (!valid.has(nameOf(workspaceId, keyId, tokenVersion))) return { result: 'invalid_key' };
    if (counted && limit !== null && used + granted >= limit)
      return { result: 'over_quota', quota: { limit, used: used + granted } };
    if (counted) granted += 1;
    if (entry !== null) entries.push({ request, at: timeOfMicros(first + entries.length) });
    return { result: 'recorded', quota: quota() };
  });
  return { meter, outcomes, entries, granted };
}

async function store(client: Queryable, written: readonly Written[]): Promise<void> {
  const ids = written.map(({ meter }) => meter.workspace_id);
  await client.query(
    updateMeters(
      ids,
      ids,
      written.map(({ meter, entries }) => entries.at(-1)?.at ?? timeOfMicros(meter.last)),
      written.map(({ meter }) => meter.month),
      written.map(({ meter, granted }) => meter.used + granted),
    ),
  );
  const entries = written.flatMap((each) => each.entries);
  if (entries.length === 0) return;
  const docs = entries.map(({ request: { entry } }) => (entry === null ? undefined : entryDoc(entry)));
  await client.query(
    insertEntries(
      ids,
      entries.map(({ request }) => request.workspaceId),
      docs.map((doc) => doc?.id),
      entries.map(({ at }) => at),
      entries.map(({ request }) => request.keyId),
      entries.map(({ request }) => request.entry?.status ?? null),
      entries.map(({ request }) => request.entry?.method ?? null),
      entries.map(({ request }) => request.entry?.path ?? null),
      entries.map(({ request }) => latencyBucket(request.durationMs)),
      docs.map((doc, i) => (doc === undefined ? null : doc.head + entries[i]?.at + doc.tail)),
    ),
  );
}
