import type pg from 'pg';
import type { Queryable } from '../database/lane.ts';
import { preparedStatement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { entryDoc, type NewEntry } from './entry.ts';
import { latencyBucket } from './latency.ts';

/** What the audit log records of a request. */
export interface AuditedRequest {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly tokenVersion: number;
  /** Null for a test key: its requests are counted per day, but have no entry (specification, section 6). */
  readonly entry: NewEntry | null;
  /** Whether the request uses live quota. */
  readonly counted: boolean;
  readonly failed: boolean;
  /** Whole milliseconds. */
  readonly durationMs: number;
}

/**
 * The outcome of a request. `invalid_key`: the key was revoked or rotated meanwhile. `over_quota`: the live quota is
 * used up. In both cases nothing is written for the request.
 */
export type Outcome =
  | { readonly result: 'recorded'; readonly quota: QuotaState | null }
  | { readonly result: 'invalid_key' }
  | { readonly result: 'over_quota'; readonly quota: QuotaState };

export interface QuotaState {
  /** Live requests per month. */
  readonly limit: number;
  readonly used: number;
}

export interface WrittenRow {
  readonly position: number;
  readonly granted: boolean;
  readonly used: number;
  readonly live_quota: number | null;
}

/**
 * Writes the requests of one workspace in one statement: all of them or none. It writes nothing if a key changed while it
 * waited for the lock, because it read the keys before it waited.
 *
 * - `requests`: the requests whose key has not changed since they began, numbered (`place`). `nth` numbers the counted ones.
 * - `today`: limits each wait for a lock to $13, for this statement and the rest of the transaction.
 * - `meter`: locks the clock of the log, allocates a time for each request, and grants what is left of the quota. If the
 *   statement waited for the lock into the next month, it does not reset the count of that month.
 * - Then it writes the entries in the order of $2, the usage of the day, the traffic of the hour and the last use of keys.
 */
const writeRequests = preparedStatement('write_requests', 'bulk')`
  with requests as (
    select r.*, row_number() over (order by position) as place, count(*) filter (where counted) over (order by position) as nth
    from unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::bool[], $9::smallint[], $10::text[], $11::text[], $12::smallint[])
      with ordinality as r (key_id, token_version, id, head, tail, counted, failed, status, method, path, bucket, position)
    join api_keys k on k.workspace_id = $1 and k.id = r.key_id and k.token_version = r.token_version and k.revoked_at is null
  ),
  today as (select date_trunc('month', now())::date as month, now()::date as day, date_trunc('hour', now()) as hour, date_trunc('minute', now()) as minute,
    set_config('lock_timeout', $13, true) as lock_timeout),
  meter as (
    update live_meters m set
      last_entry_at = greatest(clock_timestamp(), m.last_entry_at + interval '1 microsecond') + n.requests * interval '1 microsecond',
      month = greatest(m.month, today.month),
      last_granted = least(n.counted, greatest(coalesce(m.live_quota, 9223372036854775807) - case when m.month >= today.month then m.live_requests else 0 end, 0)),
      live_requests = case when m.month >= today.month then m.live_requests else 0 end
        + least(n.counted, greatest(coalesce(m.live_quota, 9223372036854775807) - case when m.month >= today.month then m.live_requests else 0 end, 0))
    from today, (select count(*)::int as requests, count(*) filter (where counted)::int as counted from requests) n
    where m.workspace_id = $1 and today.lock_timeout is not null and m.keys_version = (select keys_version from live_meters where workspace_id = $1)
    returning m.last_entry_at - n.requests * interval '1 microsecond' as first_at, m.live_requests, m.last_granted, m.live_quota
  ),
  granted as (
    select r.*, first_at + place * interval '1 microsecond' as created_at
    from requests r, meter where not r.counted or r.nth <= meter.last_granted
  ),
  entries as (
    insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, doc)
    select $1, id, created_at, 'api.request', key_id, status, method, path, head || ${utc('created_at')} || tail
    from granted where id is not null
  ),
  usage as (
    insert into key_usage as u (workspace_id, key_id, day, requests, errors)
    select $1, key_id, today.day, count(*), count(*) filter (where failed) from granted, today group by key_id, today.day
    on conflict (workspace_id, key_id, day) do update
      set requests = u.requests + excluded.requests, errors = u.errors + excluded.errors
  ),
  hours as (
    insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
    select $1, today.hour, case when id is null then 'test' else 'live' end, bucket, count(*), count(*) filter (where failed)
    from granted, today group by 2, 3, 4
    on conflict (workspace_id, hour, mode, bucket) do update
      set requests = t.requests + excluded.requests, errors = t.errors + excluded.errors
  ),
  used as (
    update api_keys k set last_used_at = today.minute from today
    where k.workspace_id = $1 and k.id in (select key_id from granted)
      and (k.last_used_at is null or k.last_used_at < today.minute)
  )
  select position::int, (not counted or nth <= last_granted) as granted, live_quota,
    live_requests - last_granted + least(nth, last_granted) as used
  from requests, meter
  union all
  select 0, false, null, 0 where exists (select from requests) and not exists (select from meter)`;

/** Instead of a position: keys changed while the statement waited for the clock of the log, and nothing was written. */
const STALE = 0;
/** The most attempts. The statement runs again if a key of the workspace changed between its start and its lock. */
const ATTEMPTS_MAX = 10;

/** Writes the requests of one workspace. Returns the outcomes in the order of the requests. */
export async function appendRequests(
  client: Queryable,
  workspaceId: string,
  requests: readonly AuditedRequest[],
  lockTimeoutMs: number,
): Promise<readonly Outcome[]> {
  const statement = requestsStatement(workspaceId, requests, lockTimeoutMs);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { rows } = await client.query<WrittenRow>(statement);
    const outcomes = outcomesOf(requests, rows);
    if (outcomes !== undefined) return outcomes;
  }
  throw new Error('The keys of the workspace change faster than its requests can be recorded.');
}

/** The statement that writes the requests of one workspace. Its rows are for {@link outcomesOf}. */
export function requestsStatement(
  workspaceId: string,
  requests: readonly AuditedRequest[],
  lockTimeoutMs: number,
): pg.QueryConfig {
  const docs = requests.map(({ entry }) => (entry === null ? null : entryDoc(entry)));
  return writeRequests(
    workspaceId,
    requests.map((request) => request.keyId),
    requests.map((request) => request.tokenVersion),
    docs.map((doc) => doc?.id ?? null),
    docs.map((doc) => doc?.head ?? null),
    docs.map((doc) => doc?.tail ?? null),
    requests.map((request) => request.counted),
    requests.map((request) => request.failed),
    requests.map(({ entry }) => entry?.status ?? null),
    requests.map(({ entry }) => entry?.method ?? null),
    requests.map(({ entry }) => entry?.path ?? null),
    requests.map(({ durationMs }) => latencyBucket(durationMs)),
    String(lockTimeoutMs),
  );
}

/**
 * The outcomes in the order of the requests. Undefined: keys changed while the statement waited for the log's clock.
 * Nothing was written, and the statement has to run again.
 */
export function outcomesOf(
  requests: readonly AuditedRequest[],
  rows: readonly WrittenRow[],
): readonly Outcome[] | undefined {
  if (rows[0]?.position === STALE) return undefined;
  const outcomes: Outcome[] = requests.map(() => ({ result: 'invalid_key' }));
  for (const { position, granted, used, live_quota } of rows) {
    const quota = live_quota === null ? null : { limit: live_quota, used };
    outcomes[position - 1] =
      granted || quota === null ? { result: 'recorded', quota } : { result: 'over_quota', quota };
  }
  return outcomes;
}
