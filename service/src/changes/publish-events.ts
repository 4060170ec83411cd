import type pg from 'pg';
import { OPERATOR } from '../audit-log/actor.ts';
import { appendEvents, type WorkspaceEvent } from '../audit-log/append-event.ts';
import { failedFor, isRefused, isUnavailable } from '../database/errors.ts';
import { inTransaction } from '../database/pool.ts';
import { type BoundStatement, statement, statements } from '../database/statement.ts';
import { appendChanges } from './append.ts';
import { allocateTimestamps } from './clock.ts';

/** Workspaces that one call publishes, and events of each. The next call publishes the rest. */
const WORKSPACES_MAX = 200;
const EVENTS_MAX = 100;
/** How long a statement waits for a lock: first of each workspace, then of a few of those whose rows were locked. */
const FIRST_LOCK_TIMEOUT_MS = 5;
const LOCK_TIMEOUT_MS = 500;
const LOCKED_MAX = 4;

const JOB = 'background: events of all workspaces that wait';

const addQuotaNotices = statement('add_quota_notices', JOB)`
  with reached as (
    insert into quota_notices (workspace_id, month, percent, live_quota)
    select m.workspace_id, m.month, p.percent, m.live_quota
    from live_meters m, (values (80::smallint), (100::smallint)) as p (percent)
    where m.live_quota > 0 and m.month = date_trunc('month', now())::date
      and m.live_requests * 100 >= m.live_quota * p.percent
    on conflict do nothing returning *
  )
  insert into pending_events (workspace_id, id, type, record_id, doc)
  select r.workspace_id, 'quota_' || r.percent || '_' || r.live_quota || '_' || r.month, 'quota.reached', r.workspace_id,
    json_build_object('percent', r.percent, 'limit', r.live_quota, 'used', least(m.live_requests, r.live_quota),
      'month', to_char(r.month, 'YYYY-MM'))
  from reached r join live_meters m using (workspace_id) on conflict do nothing`;

// A workspace without a clock is being removed. Its events go with it.
const selectWaiting = statement('workspaces_with_events', JOB)`
  select p.workspace_id as id from pending_events p join workspace_clocks c on c.workspace_id = p.workspace_id
  group by p.workspace_id order by min(p.created_at) limit ${WORKSPACES_MAX}`;

const lockFreeClock = statement('lock_free_clock', JOB)`
  select 1 from workspace_clocks where workspace_id = $1 for update skip locked`;
const lockClock = statement('lock_clock', JOB)`
  select 1 from workspace_clocks where workspace_id = $1 for update`;
/** In a cluster, also on the node of the workspace, which gets no other settings. PostgreSQL ignores the first one. */
const limitLockTime = statements('limit_lock_time', 'control');
const limitTo = (ms: number): BoundStatement =>
  limitLockTime(
    `limit_lock_time_to_${ms}`,
    `set local citus.propagate_set_commands = 'local'; set local lock_timeout = ${ms}`,
  );
const limitFirstLocks = limitTo(FIRST_LOCK_TIMEOUT_MS);
const limitLocks = limitTo(LOCK_TIMEOUT_MS);
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
 * nodes may run it at the same time: each event gets into the feed once. Locked rows of workspaces delay the others by
 * about three seconds at most. If a workspace fails, it calls `onFailure` and goes on with the others; it throws if the
 * database is away. Returns the workspaces with new changes. `announce` gets them too, also before it throws.
 */
export async function publishEvents(
  pool: pg.Pool,
  announce: (workspaceIds: readonly string[]) => unknown = () => undefined,
  onFailure: (error: unknown, workspaceId: string) => unknown = () => undefined,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(selectWaiting());
  const published: string[] = [];
  const locked: string[] = [];
  const attempt = async (id: string, waits: boolean): Promise<void> => {
    try {
      ((await publish(pool, id, waits)) ? published : locked).push(id);
    } catch (error) {
      // The other workspaces would fail too.
      if (isUnavailable(error) && !isRefused(error)) throw error;
      if (failedFor(error, 'lock_not_available')) locked.push(id);
      else onFailure(error, id);
    }
  };
  try {
    for (const { id } of rows) await attempt(id, false);
    // Others each time: those that wait longest may be locked for long.
    const from = Math.floor(Math.random() * locked.length);
    for (const id of [...locked, ...locked].slice(from, from + Math.min(LOCKED_MAX, locked.length)))
      await attempt(id, true);
  } finally {
    if (published.length > 0) announce(published);
  }
  return published;
}

/** Returns false if the clock of the workspace is locked, or was removed. `waits`: for a lock, for a short time. */
const publish = (pool: pg.Pool, workspaceId: string, waits: boolean): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    await client.query((waits ? limitLocks : limitFirstLocks)());
    const { rowCount } = await client.query((waits ? lockClock : lockFreeClock)(workspaceId));
    if (rowCount === 0) return false;
    const first = await allocateTimestamps(client, workspaceId, EVENTS_MAX);
    const { rows } = await client.query<PendingEvent>(takeEvents(workspaceId));
    const changes = rows.map((event, i) => ({ ...event, at: first + i }));
    await appendChanges(client, workspaceId, changes);
    const entries = rows.flatMap((event) => disabledEndpoint(workspaceId, event));
    await appendEvents(client, OPERATOR, entries);
    return true;
  });
