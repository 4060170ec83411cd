import { latencyBucket } from '@svc/latency-buckets';
import type { Queryable } from '@svc/turns/lane';
import { preparedStatement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { entryDoc, type NewEntry } from './entry.ts';
import { KEY_IS_VALID, workspaceIsOpen } from './valid-key.ts';

/** What the audit log records of a request. */
export interface AuditedRequest {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly tokenVersion: number;
  /**
   * Null for a test key: its requests are counted per day, but have no entry (specification, section 6). Also null for a
   * further unit of quota that a stream uses.
   */
  readonly entry: NewEntry | null;
  /** Whether the request uses live quota. */
  readonly counted: boolean;
  readonly failed: boolean;
  /** Whole milliseconds, without the time that the request waited for changes. The entry has the whole time. */
  readonly durationMs: number;
  /** Of the request's span, so that the commit is part of its trace. Undefined: it has none. */
  readonly traceparent?: string | undefined;
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

/**
 * Why nothing is written for a workspace. `held`: another transaction has locked its log. `stale`: its keys changed while
 * the statement waited for the lock. `missing`: it has no log.
 */
export type NotWritten = 'held' | 'stale' | 'missing';

interface WrittenRow {
  /** Of the request, from 1. 0: the row is about a workspace for which nothing is written. */
  readonly position: number;
  readonly workspace_id: string;
  readonly granted: boolean;
  readonly used: number;
  readonly live_quota: number | null;
  readonly not_written: NotWritten | null;
}

const METER = 'workspace_id, last_entry_at, keys_version, month, live_requests, live_quota';

/**
 * Writes the requests of many workspaces. Each look-up is one row of a primary key, whatever the planner expects: hence
 * the lateral subqueries, the ranges of one id, and `on conflict` instead of an update with a join.
 *
 * - `waited`: the log of workspace $1, once its lock is free. Limits each wait for a lock to $14, for this statement and the
 *   rest of the transaction.
 * - `others`: the logs of the other workspaces in $2 that are free. The statement waits for no lock while it holds another,
 *   so it is part of no deadlock.
 * - `locked`: `current` is false if keys changed, or the workspace was deleted or restored, after the statement began. It
 *   has read the keys and `open` too early then. `open` is false if the workspace is deleted.
 * - `keys`: the keys of the requests that are valid, in the version with which the requests began.
 * - `requests`: those whose key has not changed since they began. `place` numbers the entries, `nth` the counted requests.
 * - `meters`: allocates a time for each entry, and grants what is left of the quota. If the statement waited for the lock
 *   into the next month, it does not reset the count of that month.
 */
const writeAll = preparedStatement('write_requests', 'bulk')`with today as materialized (
    select date_trunc('month', now())::date as month, set_config('lock_timeout', $14, true) as lock_timeout
  ),
  waited as materialized (
    select m.* from today cross join lateral (
      select ${METER} from live_meters where workspace_id = $1 and today.lock_timeout is not null for no key update
    ) m
  ),
  others as materialized (
    select m.* from (select count(*) as first from waited) w cross join unnest($2::text[]) as o (workspace_id)
    cross join lateral (
      select ${METER} from live_meters
      where workspace_id = o.workspace_id and o.workspace_id is distinct from $1 and w.first >= 0
      for no key update skip locked
    ) m
  ),
  locked as materialized (
    select m.*, m.keys_version = (select keys_version from live_meters v where v.workspace_id = m.workspace_id) as current,
      ${workspaceIsOpen('m.workspace_id')} as open
    from (select * from waited union all select * from others) m
  ),
  keys as materialized (
    select r.* from (
      select distinct workspace_id, key_id, token_version
      from unnest($3::text[], $4::text[], $5::int[]) as r (workspace_id, key_id, token_version)
    ) r cross join lateral (
      select from api_keys where workspace_id = r.workspace_id and id >= r.key_id and id <= r.key_id
        and token_version = r.token_version and ${KEY_IS_VALID} order by id limit 1
    ) k
  ),
  requests as materialized (
    select r.*, count(id) over earlier as place, count(*) filter (where counted) over earlier as nth
    from unnest($3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bool[], $10::smallint[], $11::text[],
      $12::text[], $13::smallint[]) with ordinality
      as r (workspace_id, key_id, token_version, id, head, tail, counted, status, method, path, latency_bucket, position)
    join locked on locked.workspace_id = r.workspace_id and locked.current and locked.open
    join keys on keys.workspace_id = r.workspace_id and keys.key_id = r.key_id and keys.token_version = r.token_version
    window earlier as (partition by r.workspace_id order by position)
  ),
  meters as materialized (
    select workspace_id, live_quota, entries, greatest(locked.month, today.month) as month, used,
      least(counted, greatest(coalesce(live_quota, 9223372036854775807) - used, 0)) as granted,
      greatest(clock_timestamp(), last_entry_at + interval '1 microsecond') as first_at, last_entry_at
    from (select workspace_id, count(id) as entries, count(*) filter (where counted) as counted from requests group by 1) n
    join locked using (workspace_id) cross join today
    cross join lateral (select case when locked.month >= today.month then live_requests else 0 end as used) u
  ),
  meter as (
    insert into live_meters (workspace_id, last_entry_at, month, live_requests)
    select workspace_id, case when entries > 0 then first_at + entries * interval '1 microsecond' else last_entry_at end,
      month, used + granted from meters where entries > 0 or granted > 0
    on conflict (workspace_id) do update set
      last_entry_at = excluded.last_entry_at, month = excluded.month, live_requests = excluded.live_requests
  ),
  granted as (
    select r.*, first_at + place * interval '1 microsecond' as created_at
    from requests r join meters using (workspace_id) where not counted or nth <= granted
  ),
  entries as (
    insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, latency_bucket, doc)
    select workspace_id, id, created_at, 'api.request', key_id, status, method, path, latency_bucket,
      head || ${utc('created_at')} || tail
    from granted where id is not null
  )
  select position::int, workspace_id, (not counted or nth <= granted) as granted, live_quota, used + least(nth, granted) as used,
    null as not_written
  from requests join meters using (workspace_id)
  union all
  select 0, w.workspace_id, false, null, 0, case
      when locked.workspace_id is not null then 'stale'
      when (select true from live_meters m where m.workspace_id = w.workspace_id) then 'held'
      else 'missing' end
  from unnest($2) as w (workspace_id) left join locked using (workspace_id) where locked.current is not true`;

/** Which locks a statement waits for. */
export interface Patience {
  /** The workspace whose log it waits for. It leaves out all others whose logs are held. Undefined: it waits for none. */
  readonly waitFor: string | undefined;
  /** It fails with `lock_not_available` after this time. */
  readonly lockTimeoutMs: number;
}

/** Writes the requests of workspaces. Returns their outcomes in the order of the requests, or why nothing is written. */
export type WriteRequests = (
  client: Queryable,
  group: ReadonlyMap<string, readonly AuditedRequest[]>,
  patience: Patience,
) => Promise<ReadonlyMap<string, readonly Outcome[] | NotWritten>>;

/** Writes requests by workspace in one statement. */
export const writeRequests: WriteRequests = (client, group, patience) =>
  writeWith(client, group, patience, (waitFor, requests, timeout) =>
    writeAll(waitFor, [...group.keys()], ...requests, timeout),
  );

/**
 * Writes requests with a statement. It gets the workspace whose log it waits for, the values of the requests as arrays, and
 * the lock timeout.
 */
export async function writeWith(
  client: Queryable,
  group: ReadonlyMap<string, readonly AuditedRequest[]>,
  { waitFor, lockTimeoutMs }: Patience,
  statement: (
    waitFor: string | null,
    requests: readonly (readonly unknown[])[],
    lockTimeout: string,
  ) => ReturnType<typeof writeAll>,
): ReturnType<WriteRequests> {
  const requests = [...group.values()].flat();
  const docs = requests.map(({ entry }) => (entry === null ? null : entryDoc(entry)));
  const values = [
    requests.map(({ workspaceId }) => workspaceId),
    requests.map(({ keyId }) => keyId),
    requests.map(({ tokenVersion }) => tokenVersion),
    docs.map((doc) => doc?.id ?? null),
    docs.map((doc) => doc?.head ?? null),
    docs.map((doc) => doc?.tail ?? null),
    requests.map(({ counted }) => counted),
    requests.map(({ entry }) => entry?.status ?? null),
    requests.map(({ entry }) => entry?.method ?? null),
    requests.map(({ entry }) => entry?.path ?? null),
    requests.map(({ durationMs }) => latencyBucket(durationMs)),
  ];
  const { rows } = await client.query<WrittenRow>(statement(waitFor ?? null, values, String(lockTimeoutMs)));
  const outcomes: Outcome[] = requests.map(() => ({ result: 'invalid_key' }));
  const results = new Map<string, readonly Outcome[] | NotWritten>();
  for (const { position, workspace_id, granted, used, live_quota, not_written } of rows) {
    if (not_written !== null) results.set(workspace_id, not_written);
    const quota = live_quota === null ? null : { limit: live_quota, used };
    if (position > 0) {
      outcomes[position - 1] =
        granted || quota === null ? { result: 'recorded', quota } : { result: 'over_quota', quota };
    }
  }
  let end = 0;
  for (const [workspaceId, { length }] of group) {
    const start = end;
    end += length;
    if (!results.has(workspaceId)) results.set(workspaceId, outcomes.slice(start, end));
  }
  return results;
}

/** The most attempts. The statement runs again if a key of the workspace changed between its start and its lock. */
const ATTEMPTS_MAX = 10;

/** Writes the requests of one workspace. Returns the outcomes in the order of the requests. */
export async function appendRequests(
  client: Queryable,
  workspaceId: string,
  requests: readonly AuditedRequest[],
  lockTimeoutMs: number,
  write: WriteRequests = writeRequests,
): Promise<readonly Outcome[]> {
  const group = new Map([[workspaceId, requests]]);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const result = (await write(client, group, { waitFor: workspaceId, lockTimeoutMs })).get(workspaceId);
    if (result === 'missing') throw new Error(NO_LOG);
    if (typeof result === 'object') return result;
  }
  throw new Error('The keys of the workspace change faster than its requests can be recorded.');
}

export const NO_LOG = 'The workspace has no audit log.';
