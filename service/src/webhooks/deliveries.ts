import { latencyBucket } from '@svc/latency-buckets';
import type { Queryable } from '@svc/turns/lane';
import { statement } from '../database/statement.ts';
import type { Endpoint } from './endpoints.ts';
import type { EndpointKey } from './leases.ts';
import { TEST_EVENT_TYPE } from './test-event.ts';

/** What was sent to an endpoint, or waits to be sent again. */

/** An event for an endpoint, with the exact bytes of its body. */
export interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly body: Buffer;
  /** How often it was sent before. */
  readonly attempts: number;
}

/** The last attempt of a delivery. */
export interface Attempted {
  readonly delivery: Delivery;
  /** `pending`: it is sent again after `pauseMs`. `failed`: it is not sent again by itself. */
  readonly state: 'delivered' | 'pending' | 'failed';
  readonly pauseMs: number | undefined;
  /** Status and first kilobyte of the response; undefined if there was none. */
  readonly status: number | undefined;
  readonly response: string | undefined;
  /** Why there was no response; undefined if there was one. */
  readonly failure: string | undefined;
  readonly durationMs: number;
}

/** A delivery that failed, and when it is sent again: at once if that is not positive. */
export interface PendingDelivery {
  readonly delivery: Delivery;
  readonly waitMs: number;
}

// If the clock was ahead at the last attempt, the next one would have to wait for that time.
const PENDING = `select event_id, type, body, attempts,
  (extract(epoch from next_attempt_at - clock_timestamp()) * 1000
    * (attempted_at <= clock_timestamp() + interval '1 minute')::int)::float8 as wait_ms
  from webhook_deliveries where workspace_id = $1 and endpoint_id = $2`;
const testsFirst = (others: string): string => `
  (${PENDING} and state = 'pending' and type = '${TEST_EVENT_TYPE}' limit $3) union all
  (select * from (${PENDING} and ${others} limit $3) others where type <> '${TEST_EVENT_TYPE}')`;
const selectPending = statement('pending_deliveries', 'request')`
  ${testsFirst("state = 'pending' order by next_attempt_at")}`;
// With two bounds instead of an equality, only one index has the order.
const selectPendingInOrder = statement('pending_deliveries_in_order', 'request')`
  ${testsFirst("state >= 'pending' and state <= 'pending' order by state, created_at, event_id")}`;

interface PendingRow {
  readonly event_id: string;
  readonly type: string;
  readonly body: Buffer;
  readonly attempts: number;
  readonly wait_ms: number;
}

/**
 * Reads the deliveries of an endpoint that are to be sent again: test events, and then those that are due next, or
 * `ordered`, in the order of the events.
 */
export async function readPending(
  connections: Queryable,
  { workspaceId, id }: EndpointKey,
  { ordered, limit }: { readonly ordered: boolean; readonly limit: number },
): Promise<readonly PendingDelivery[]> {
  const select = ordered ? selectPendingInOrder : selectPending;
  const { rows } = await connections.query<PendingRow>(select(workspaceId, id, limit));
  return rows.map(({ event_id, type, body, attempts, wait_ms }) => ({
    delivery: { eventId: event_id, type, body, attempts },
    waitMs: wait_ms,
  }));
}

const countPendingUpTo = statement('count_pending_deliveries', 'request')`
  select count(*)::int as pending from (
    select 1 from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and state = 'pending' limit $3
  ) counted`;

/** How many deliveries of an endpoint are to be sent again, at most `limit`. */
export async function countPending(
  connections: Queryable,
  { workspaceId, id }: EndpointKey,
  limit: number,
): Promise<number> {
  const { rows } = await connections.query<{ pending: number }>(countPendingUpTo(workspaceId, id, limit));
  return rows[0]?.pending ?? 0;
}

/**
 * Why the service disables an endpoint. `gone`: the receiver said so. `exhausted`: all attempts of an event failed, which
 * holds back the later ones. `failing`: every attempt failed for five days. `expired`: the feed no longer has its position.
 */
export type DisabledReason = 'gone' | 'exhausted' | 'failing' | 'expired';

/** What a round has done, for one statement. */
export interface RoundResult {
  readonly attempted: readonly Attempted[];
  /** The last change that is accounted for. */
  readonly position: string;
  /** Undefined: the endpoint stays enabled. */
  readonly disable: DisabledReason | undefined;
  /** The endpoint as it was when the round began. */
  readonly endpoint: Pick<Endpoint, 'url' | 'updatedAt'>;
}

/** How long every attempt must have failed before an endpoint is disabled. */
const FAILING_MAX = "interval '5 days'";

/**
 * $6: whether the last attempt failed. Null: there was none. $7: whether one succeeded. The condition on the lease makes a
 * process change nothing that was frozen and has lost its lease. A round counts only for the settings with which it began
 * ($22): what they leave out may be wanted by now. A delivery that was replayed meanwhile has fewer attempts than before
 * the round. It stays as it is, unless the receiver has accepted it. The times are columns of `clock`, because Citus refuses
 * functions such as now() inside CASE.
 */
const record = statement('record_deliveries', 'bulk')`
  with clock as materialized (
    select now() as at, now() - ${FAILING_MAX} as failing_before
  ), held as (
    update webhook_endpoints set position = $4, failing_since = since, enabled = reason is null,
      disabled_reason = coalesce(reason, disabled_reason),
      disabled_at = case when reason is null then disabled_at else clock.at end
    from (select failing_since as before from webhook_endpoints where workspace_id = $1 and id = $2) known
    cross join clock
    cross join lateral (
      select case when $6::boolean is null or ($6::boolean and before is not null and not $7::boolean) then before
        when $6::boolean then clock.at end as since
    ) failing
    cross join lateral (
      select coalesce($5::text, case when $6::boolean and since < clock.failing_before then 'failing' end)
        as reason
    ) disabling
    where workspace_id = $1 and id = $2 and lease_owner = $3 and lease_until > statement_timestamp() and enabled
      and updated_at = $22
    returning disabled_reason, enabled, company_id
  ), event as (
    insert into pending_events (workspace_id, id, type, record_id, company_id, doc)
    select $1, concat('disabled_', $2::text, '_', extract(epoch from clock_timestamp())), 'endpoint.disabled', $2, company_id,
      json_build_object('id', $2::text, 'origin', $21::text, 'reason', disabled_reason)
    from held where not enabled
  ), logged as (
    insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, status, response, failure,
      duration_ms, attempted_at, next_attempt_at, body)
    select $1, $2, d.event_id, d.type, d.state, d.attempts, d.status, d.response, d.failure, d.duration_ms,
      clock_timestamp(), clock_timestamp() + d.pause_ms * interval '1 millisecond', d.body
    from unnest($8::text[], $9::text[], $10::text[], $11::smallint[], $12::smallint[], $13::text[], $14::text[], $15::int[],
      $16::float8[], $17::bytea[])
      as d (event_id, type, state, attempts, status, response, failure, duration_ms, pause_ms, body)
    where exists (select 1 from held)
    on conflict (workspace_id, endpoint_id, event_id) do update set state = excluded.state, attempts = excluded.attempts,
      status = excluded.status, response = excluded.response, failure = excluded.failure,
      duration_ms = excluded.duration_ms, attempted_at = excluded.attempted_at,
      next_attempt_at = excluded.next_attempt_at, body = excluded.body
    where excluded.state = 'delivered' or webhook_deliveries.state <> 'pending'
      or webhook_deliveries.attempts >= excluded.attempts - 1
  ), counted as (
    insert into webhook_attempts (workspace_id, endpoint_id, hour, bucket, delivered, failed)
    select $1, $2, date_trunc('hour', now(), 'UTC'), a.bucket, a.delivered, a.failed
    from unnest($18::smallint[], $19::int[], $20::int[]) as a (bucket, delivered, failed) where exists (select 1 from held)
    on conflict (workspace_id, endpoint_id, hour, bucket) do update set
      delivered = webhook_attempts.delivered + excluded.delivered, failed = webhook_attempts.failed + excluded.failed
  )
  select case when enabled then null else disabled_reason end as disabled from held`;

/**
 * Records the attempts of a round and moves the position of the endpoint, if the process still has the lease. An endpoint
 * that is disabled is an event of the workspace. Returns `lost` if the process does not have the lease or a person has
 * changed the endpoint since the round began, and otherwise the reason if the endpoint is disabled now.
 */
export async function recordRound(
  connections: Queryable,
  owner: string,
  { workspaceId, id }: EndpointKey,
  { attempted, position, disable, endpoint }: RoundResult,
): Promise<'lost' | DisabledReason | undefined> {
  const last = attempted.at(-1);
  const columns = [
    attempted.map(({ delivery }) => delivery.eventId),
    attempted.map(({ delivery }) => delivery.type),
    attempted.map(({ state }) => state),
    attempted.map(({ delivery }) => delivery.attempts + 1),
    attempted.map(({ status }) => status ?? null),
    attempted.map(({ response }) => response ?? null),
    attempted.map(({ failure }) => failure ?? null),
    attempted.map(({ durationMs }) => durationMs),
    attempted.map(({ pauseMs }) => pauseMs ?? null),
    attempted.map(({ state, delivery }) => (state === 'delivered' ? null : delivery.body)),
    ...attemptColumns(attempted),
  ];
  const { rows } = await connections.query<{ disabled: DisabledReason | null }>(
    record(
      workspaceId,
      id,
      owner,
      position,
      disable ?? null,
      last === undefined ? null : last.state !== 'delivered',
      attempted.some(({ state }) => state === 'delivered'),
      ...columns,
      new URL(endpoint.url).origin,
      endpoint.updatedAt,
    ),
  );
  const [row] = rows;
  return row === undefined ? 'lost' : (row.disabled ?? undefined);
}

/** The columns `bucket`, `delivered` and `failed` of the attempts. */
function attemptColumns(attempted: readonly Attempted[]): readonly (readonly number[])[] {
  const buckets = [...Map.groupBy(attempted, ({ durationMs }) => latencyBucket(durationMs))];
  const counts = buckets.map(([bucket, attempts]) => ({
    bucket,
    attempts: attempts.length,
    delivered: attempts.filter(({ state }) => state === 'delivered').length,
  }));
  return [
    counts.map(({ bucket }) => bucket),
    counts.map(({ delivered }) => delivered),
    counts.map(({ attempts, delivered }) => attempts - delivered),
  ];
}
