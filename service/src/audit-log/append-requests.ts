import { latencyBucket } from '@svc/latency-buckets';
import type { Queryable } from '@svc/turns/lane';
import { preparedStatement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import type { AuditedRequest, NotWritten, Outcome, WriteRequests } from './audited-request.ts';
import { entryDoc } from './entry.ts';
import { writeStale } from './write-checked.ts';

interface LockedLog {
  /** Of the workspace, from 1. */
  readonly place: number;
  /** Whether its requests are written. */
  readonly valid: boolean | null;
  /** Live requests of the month before these. */
  readonly used: number;
  readonly live_quota: number | null;
}

const METER = 'last_entry_at, keys_version, month, live_requests, live_quota';

/**
 * Writes the requests of many workspaces. Of each workspace, it writes all or nothing. Each look-up is one row of a primary
 * key, whatever the planner expects: hence the lateral subqueries, and `on conflict` instead of an update with a join.
 *
 * - `logs`: the log of the first workspace, once its lock is free, and those of the others that are free. The first is
 *   visited first, so the statement waits for no lock while it holds another, and is part of no deadlock. $6 limits the
 *   wait, for this statement and the rest of the transaction; null: it does not wait for the first log either. `valid`: no
 *   key has changed or expired, and the quota is enough for all. PostgreSQL reads a row again after it has waited for its
 *   lock, so the version of the keys is the current one. The rest of the statement sees the database as it was before.
 * - `meters`: moves the clock of the log by a microsecond per entry, and counts the requests.
 * - `entries`: their JSON has no line breaks, so it comes as lines. In an array, pg would escape each quotation mark.
 */
const writeAll = preparedStatement('write_requests', 'bulk')`with logs as materialized (
    select place, workspace_id, entries, counted, last_entry_at, this_month, used, live_quota,
      greatest(clock_timestamp(), last_entry_at + interval '1 microsecond') as first_at,
      log.keys_version = wanted.keys_version and (expires_at is null or expires_at > statement_timestamp())
        and (counted = 0 or live_quota is null or used + counted <= live_quota) as valid
    from unnest($1::text[], $2::int[], $3::timestamptz[], $4::int[], $5::int[]) with ordinality
      as wanted (workspace_id, keys_version, expires_at, entries, counted, place)
    cross join lateral (
      select * from (
        select ${METER} from live_meters where workspace_id = wanted.workspace_id
          and place = 1 and (select set_config('lock_timeout', $6, true) where $6 is not null) is not null for no key update
      ) waited
      union all
      select * from (
        select ${METER} from live_meters where workspace_id = wanted.workspace_id and (place > 1 or $6::text is null)
          for no key update skip locked
      ) other
    ) log
    cross join lateral (select greatest(month, date_trunc('month', now())::date) as this_month) today
    cross join lateral (select case when month = this_month then live_requests else 0 end as used) quota
  ),
  meters as (
    insert into live_meters (workspace_id, last_entry_at, month, live_requests)
    select workspace_id, case when entries > 0 then first_at + entries * interval '1 microsecond' else last_entry_at end,
      this_month, used + counted
    from logs where valid and (entries > 0 or counted > 0)
    on conflict (workspace_id) do update set
      last_entry_at = excluded.last_entry_at, month = excluded.month, live_requests = excluded.live_requests
  ),
  entries as (
    insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, latency_bucket, doc)
    select workspace_id, id, created_at, 'api.request', key_id, status, method, path, latency_bucket,
      head || ${utc('created_at')} || tail
    from unnest($7::int[], $8::int[], $9::text[], string_to_array($10, chr(10)), string_to_array($11, chr(10)),
        $12::text[], $13::smallint[], $14::text[], $15::text[], $16::smallint[])
      as entry (place, nth, id, head, tail, key_id, status, method, path, latency_bucket)
    join logs using (place) cross join lateral (select first_at + nth * interval '1 microsecond' as created_at) time
    where valid
  )
  select place::int, valid, used, live_quota from logs`;

/**
 * Writes requests of keys whose validity is known, in one statement. Of workspaces for which it cannot confirm all of them,
 * it writes nothing (`stale`).
 */
export const writeRequests: WriteRequests = async (client, group, { waitFor, lockTimeoutMs }) => {
  const others = [...group.keys()].filter((id) => id !== waitFor);
  const ids = waitFor === undefined ? others : [waitFor, ...others];
  const logs = ids.map((id) => group.get(id) ?? []);
  const entries = logs.flatMap((requests, log) =>
    requests
      .flatMap(({ entry, durationMs }) => (entry === null ? [] : [{ log, entry, durationMs }]))
      .map((entry, nth) => ({ ...entry, nth: nth + 1 })),
  );
  const docs = entries.map(({ entry }) => entryDoc(entry));
  const { rows } = await client.query<LockedLog>(
    writeAll(
      ids,
      logs.map(versionOf),
      logs.map(expiryOf),
      logs.map((requests) => requests.filter(({ entry }) => entry !== null).length),
      logs.map((requests) => requests.filter(({ counted }) => counted).length),
      waitFor === undefined ? null : String(lockTimeoutMs),
      entries.map(({ log }) => log + 1),
      entries.map(({ nth }) => nth),
      docs.map(({ id }) => id),
      docs.map(({ head }) => head).join('\n'),
      docs.map(({ tail }) => tail).join('\n'),
      docs.map(({ keyId }) => keyId),
      entries.map(({ entry }) => entry.status ?? null),
      entries.map(({ entry }) => entry.method ?? null),
      entries.map(({ entry }) => entry.path ?? null),
      entries.map(({ durationMs }) => latencyBucket(durationMs)),
    ),
  );
  const locked = new Map(rows.map((row) => [ids[row.place - 1], row]));
  return new Map(ids.map((id, i) => [id, resultOf(locked.get(id), logs[i] ?? [], id === waitFor)]));
};

/** The version of the keys in which all requests are valid. Null: there is none. */
function versionOf(requests: readonly AuditedRequest[]): number | null {
  const versions = new Set(requests.map(({ validity }) => validity?.keysVersion));
  const [version = null] = versions;
  return versions.size === 1 ? version : null;
}

/** When the first key of the requests expires. Null: none expires. */
const expiryOf = (requests: readonly AuditedRequest[]): string | null =>
  requests.flatMap(({ validity }) => validity?.expiresAt ?? []).toSorted()[0] ?? null;

/** `waited`: the statement has waited for the log of the workspace. */
function resultOf(
  log: LockedLog | undefined,
  requests: readonly AuditedRequest[],
  waited: boolean,
): readonly Outcome[] | NotWritten {
  if (log === undefined) return waited ? 'missing' : 'held';
  if (log.valid !== true) return 'stale';
  const { live_quota } = log;
  let { used } = log;
  return requests.map(({ counted }) => {
    if (counted) used++;
    return { result: 'recorded', quota: live_quota === null ? null : { limit: live_quota, used } };
  });
}

/** Writes the requests of one workspace. Returns the outcomes in the order of the requests. */
export async function appendRequests(
  client: Queryable,
  workspaceId: string,
  requests: readonly AuditedRequest[],
  lockTimeoutMs: number,
  write: WriteRequests = writeRequests,
): Promise<readonly Outcome[]> {
  const group = new Map([[workspaceId, requests]]);
  for (const attempt of [write, writeStale]) {
    const result = (await attempt(client, group, { waitFor: workspaceId, lockTimeoutMs })).get(workspaceId);
    if (result === 'missing') throw new Error(NO_LOG);
    if (typeof result === 'object') return result;
  }
  throw new Error('The log of a workspace is held, although it is locked.');
}

export const NO_LOG = 'The workspace has no audit log.';
