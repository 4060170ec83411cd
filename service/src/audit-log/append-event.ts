import type pg from 'pg';
import { statement } from '../database/statement.ts';
import { plusMicroseconds, utc } from '../database/utc.ts';
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

const NEXT = plusMicroseconds('last_entry_at', 1);
const insertEvents = statement('append_events', 'request')`
  with events as (
    select * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      with ordinality as e (id, kind, key_id, actor, target_id, head, tail, place)
  ),
  meter as (
    update live_meters
    set last_entry_at = ${plusMicroseconds(`greatest(statement_timestamp(), ${NEXT})`, '$9::int')}
    where workspace_id = $1 returning workspace_id, last_entry_at
  ),
  timed as (
    select e.*, workspace_id, ${plusMicroseconds('last_entry_at', '(place - $9::int)')} as created_at from events e cross join meter
  )
  insert into audit_log (workspace_id, id, created_at, kind, key_id, actor, target_id, doc)
  select workspace_id, id, created_at, kind, key_id, actor, target_id, head || ${utc('created_at')} || tail from timed`;

/**
 * Appends the entries of several events, which may belong to several workspaces. It locks the clocks of their logs in
 * the order of the workspace ids, as every writer does: one statement for each workspace, because a statement of a cluster
 * writes the rows of one. The entries of a workspace have the order of the events.
 */
export async function appendEvents(
  client: pg.ClientBase,
  by: ActorContext,
  events: readonly WorkspaceEvent[],
): Promise<void> {
  const workspaces = Map.groupBy(events, ({ workspaceId }) => workspaceId);
  for (const workspaceId of [...workspaces.keys()].sort())
    await appendToLog(client, by, workspaceId, workspaces.get(workspaceId) ?? []);
}

async function appendToLog(
  client: pg.ClientBase,
  by: ActorContext,
  workspaceId: string,
  events: readonly WorkspaceEvent[],
): Promise<void> {
  const entries = events.map(({ event }) => eventEntry(by, event));
  const docs = entries.map(entryDoc);
  const { rowCount } = await client.query(
    insertEvents(
      workspaceId,
      docs.map(({ id }) => id),
      docs.map(({ kind }) => kind),
      docs.map(({ keyId }) => keyId),
      entries.map(({ actor }) => actor),
      entries.map(({ targetId }) => targetId ?? null),
      docs.map(({ head }) => head),
      docs.map(({ tail }) => tail),
      events.length,
    ),
  );
  if (rowCount !== events.length) throw new Error('A workspace has no audit log.');
}

const countKeyChange = statement('count_key_change', 'request')`
  update live_meters set keys_version = keys_version + 1 where workspace_id = $1`;

/**
 * Locks the clock of the log before a key is locked to be revoked or rotated, or when a workspace is deleted or restored,
 * and increments the version of the keys.
 * Every transaction that locks a key and logs the change must use this order: the group commits of nodes of 0.1.0 also lock
 * keys after the clock. A group commit that has waited for this lock sees the new version.
 */
export async function lockLogForKeys(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query(countKeyChange(workspaceId));
}
