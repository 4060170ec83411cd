import type pg from 'pg';
import { statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import type { ActorContext } from './actor.ts';
import { entryDoc, eventEntry, type NewEvent } from './entry.ts';

/** An event in the log of one workspace. */
export interface WorkspaceEvent {
  readonly workspaceId: string;
  readonly event: NewEvent;
}

/**
 * Appends an entry in the caller's transaction, so that the event and its entry are committed together. Call it last in
 * the transaction, because it locks the clock of the log.
 */
export const appendEvent = (
  client: pg.ClientBase,
  workspaceId: string,
  by: ActorContext,
  event: NewEvent,
): Promise<void> => appendEvents(client, by, [{ workspaceId, event }]);

const lockLogs = statement('lock_logs', 'request')`
  select 1 from live_meters where workspace_id = any($1) order by workspace_id for no key update`;
const insertEvents = statement('append_events', 'request')`
  with events as (
    select e.*, row_number() over (partition by workspace_id order by position) as place
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      with ordinality as e (workspace_id, id, kind, key_id, actor, target_id, head, tail, position)
  ),
  meter as (
    update live_meters m set last_entry_at =
      greatest(clock_timestamp(), m.last_entry_at + interval '1 microsecond') + n.events * interval '1 microsecond'
    from (select workspace_id, count(*) as events from events group by workspace_id) n
    where m.workspace_id = n.workspace_id
    returning m.workspace_id, m.last_entry_at - n.events * interval '1 microsecond' as first_at
  ),
  timed as (
    select e.*, first_at + place * interval '1 microsecond' as created_at
    from events e join meter using (workspace_id)
  )
  insert into audit_log (workspace_id, id, created_at, kind, key_id, actor, target_id, doc)
  select workspace_id, id, created_at, kind, key_id, actor, target_id, head || ${utc('created_at')} || tail from timed`;

/**
 * Appends the entries of several events, which may belong to several workspaces. It locks the clocks of their logs in
 * the order of the workspace ids, as every writer does. The entries of a workspace have the order of the events.
 */
export async function appendEvents(
  client: pg.ClientBase,
  by: ActorContext,
  events: readonly WorkspaceEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const workspaceIds = events.map(({ workspaceId }) => workspaceId);
  if (workspaceIds.some((id) => id !== workspaceIds[0])) {
    await client.query(lockLogs(workspaceIds));
  }
  const entries = events.map(({ event }) => eventEntry(by, event));
  const docs = entries.map(entryDoc);
  const { rowCount } = await client.query(
    insertEvents(
      workspaceIds,
      docs.map(({ id }) => id),
      docs.map(({ kind }) => kind),
      docs.map(({ keyId }) => keyId),
      entries.map(({ actor }) => actor),
      entries.map(({ targetId }) => targetId ?? null),
      docs.map(({ head }) => head),
      docs.map(({ tail }) => tail),
    ),
  );
  if (rowCount !== events.length) throw new Error('A workspace has no audit log.');
}

const countKeyChange = statement('count_key_change', 'request')`
  update live_meters set keys_version = keys_version + 1 where workspace_id = $1`;

/**
 * Locks the clock of the log before a key is locked to be revoked or rotated, and increments the version of the keys.
 * Every transaction that locks a key and logs the change must use this order: the group commits of nodes of 0.1.0 also lock
 * keys after the clock. A group commit that has waited for this lock sees the new version and reads the keys again.
 */
export async function lockLogForKeys(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query(countKeyChange(workspaceId));
}
