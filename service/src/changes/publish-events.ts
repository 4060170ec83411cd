import type { Outcome, Rounds } from '@svc/turns/rounds';
import type pg from 'pg';
import { OPERATOR } from '../audit-log/actor.ts';
import { appendEvents, type WorkspaceEvent } from '../audit-log/append-event.ts';
import { failedWork } from '../database/errors.ts';
import { inTransaction } from '../database/pool.ts';
import { type BoundStatement, statement, statements } from '../database/statement.ts';
import { appendChanges } from './append.ts';
import { allocateTimestamps } from './clock.ts';

/** The most workspaces that one statement looks up. */
const WORKSPACES_MAX = 1_000;
/** The most events of a workspace that one call publishes. The next call publishes the rest. */
const EVENTS_MAX = 100;
/** How long a statement waits for a lock, and runs: first of each workspace, then of a few of those that were locked. */
const FIRST_LIMITS_MS = [5, 1_000] as const;
const LIMITS_MS = [500, 5_000] as const;

const JOB = 'background: events of all workspaces that wait';

/** Of two notices at once, the one of 80 percent is first: their times are equal, so their ids have the order. */
const addQuotaNotices = statement('add_quota_notices', JOB)`
  with reached as (
    insert into quota_notices (workspace_id, month, percent, live_quota)
    select m.workspace_id, m.month, p.percent, m.live_quota
    from live_meters m, (values (80::smallint), (100::smallint)) as p (percent)
    where m.live_quota > 0 and m.month = date_trunc('month', now())::date
      and m.live_requests * 100 >= m.live_quota * p.percent
    on conflict do nothing returning *
  )
  insert into pending_events (workspace_id, created_at, id, type, record_id, doc)
  select r.workspace_id, now(), 'quota_' || lpad(r.percent::text, 3, '0') || '_' || r.live_quota || '_' || r.month, 'quota.reached',
    r.workspace_id,
    json_build_object('percent', r.percent, 'limit', r.live_quota, 'used', least(m.live_requests, r.live_quota),
      'month', to_char(r.month, 'YYYY-MM'))
  from reached r join live_meters m using (workspace_id) on conflict do nothing`;

// A workspace without a clock is being removed. Its events go with it.
const selectWaiting = statement('workspaces_with_events', JOB)`
  select p.workspace_id as id from pending_events p join workspace_clocks c on c.workspace_id = p.workspace_id
  where p.workspace_id > $1 group by p.workspace_id order by p.workspace_id limit ${WORKSPACES_MAX}`;

const lockFreeClock = statement('lock_free_clock', JOB)`
  select 1 from workspace_clocks where workspace_id = $1 for update skip locked`;
const lockClock = statement('lock_clock', JOB)`
  select 1 from workspace_clocks where workspace_id = $1 for update`;
/** In a cluster, also on the node of the workspace, which gets no other settings. PostgreSQL ignores the first one. */
const limitLockTime = statements('limit_lock_time', 'control');
const limitTo = ([lockMs, ms]: readonly [number, number]): BoundStatement =>
  limitLockTime(
    `limit_lock_time_to_${lockMs}`,
    `set local citus.propagate_set_commands = 'local'; set local lock_timeout = ${lockMs}; set local statement_timeout = ${ms}`,
  );
export const limitFirst = limitTo(FIRST_LIMITS_MS);
export const limitAgain = limitTo(LIMITS_MS);
const takeEvents = statement('take_pending_events', JOB)`
  with taken as (
    delete from pending_events where workspace_id = $1 and id = any (array(
      select id from pending_events where workspace_id = $1 order by created_at, id limit ${EVENTS_MAX}
    )) returning *
  )
  select type, record_id as "recordId", company_id as "companyId", doc from taken order by created_at, id`;

interface PendingEvent {
  readonly type: string;
  readonly recordId: string;
  readonly companyId: string | null;
  readonly doc: string;
}

/** The audit entry of an endpoint that the service has disabled. Of its URL only the origin, as in other entries. */
function disabledEndpoint(
  workspaceId: string,
  { type, recordId, doc }: PendingEvent,
): readonly WorkspaceEvent[] {
  if (type !== 'endpoint.disabled') return [];
  const { origin, reason } = JSON.parse(doc) as { readonly origin: string; readonly reason: string };
  const target = { id: recordId, label: origin };
  return [{ workspaceId, event: { kind: 'webhook.disabled', target, details: { reason } } }];
}

/** Adds an event for each workspace that has reached 80 or 100 percent of its quota, once a month. It reads all meters. */
export async function noticeQuotas(pool: pg.Pool): Promise<void> {
  await pool.query(addQuotaNotices());
}

/**
 * Moves the events that wait into the feed, and appends the audit entries of what the service has done by itself. Several
 * nodes may run it at the same time: each event gets into the feed once. Workspaces that fail, or whose rows are locked,
 * delay the others by a few seconds at most, however many they are. `rounds`: what earlier calls of this process know of
 * them. It calls `onFailure` for each that fails; it throws if the database is away. `announce` gets the workspaces with new
 * changes, also before it throws.
 */
export async function publishEvents(
  pool: pg.Pool,
  announce: (workspaceIds: readonly string[]) => unknown,
  onFailure: (error: unknown, workspaceId: string) => unknown,
  rounds: Rounds,
): Promise<void> {
  const published: string[] = [];
  const attempt = async (id: string, waits: boolean): Promise<Outcome> => {
    const events = await publish(pool, id, waits);
    if (events === undefined) return 'busy';
    // Another node may have published them.
    if (events > 0) published.push(id);
    return 'done';
  };
  const ownersAfter = async (last: string): Promise<readonly string[]> =>
    (await pool.query<{ id: string }>(selectWaiting(last))).rows.map(({ id }) => id);
  try {
    await rounds.run({ ownersAfter, attempt, failed: failedWork(onFailure) });
  } finally {
    if (published.length > 0) announce(published);
  }
}

/** Returns the number of events. Undefined: the clock of the workspace is locked, or was removed. `waits`: for a lock. */
const publish = (pool: pg.Pool, workspaceId: string, waits: boolean): Promise<number | undefined> =>
  inTransaction(pool, async (client) => {
    await client.query((waits ? limitAgain : limitFirst)());
    const { rowCount } = await client.query((waits ? lockClock : lockFreeClock)(workspaceId));
    if (rowCount === 0) return undefined;
    const first = await allocateTimestamps(client, workspaceId, EVENTS_MAX);
    const { rows } = await client.query<PendingEvent>(takeEvents(workspaceId));
    const changes = rows.map((event, i) => ({ ...event, at: first + i }));
    await appendChanges(client, workspaceId, changes);
    const entries = rows.flatMap((event) => disabledEndpoint(workspaceId, event));
    await appendEvents(client, OPERATOR, entries);
    return rows.length;
  });
