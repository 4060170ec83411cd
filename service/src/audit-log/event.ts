import type pg from 'pg';
import { utc } from '../database/utc.ts';
import { entryDoc, type NewEntry } from './entry.ts';

/**
 * Writes an entry in the caller's transaction: what happened and that it is logged are committed as one. Locks the
 * log's clock, so the caller does this last.
 */
export async function recordEvent(
  client: pg.ClientBase,
  workspaceId: string,
  entry: NewEntry,
): Promise<void> {
  const { id, kind, keyId, head, tail } = entryDoc(entry);
  const { rowCount } = await client.query(
    `with meter as (
      update live_meters set last_entry_at = greatest(clock_timestamp(), last_entry_at + interval '1 microsecond')
      where workspace_id = $1 returning last_entry_at
    )
    insert into audit_log (workspace_id, id, created_at, kind, key_id, doc)
    select $1, $2, last_entry_at, $3, $4, $5 || ${utc('last_entry_at')} || $6 from meter`,
    [workspaceId, id, kind, keyId, head, tail],
  );
  if (rowCount !== 1) throw new Error('The workspace has no audit log.');
}

/**
 * Locks the log's clock ahead of a key that is to be revoked or rotated, and says that keys change: group commits lock
 * the clock and then touch keys, so whoever locks a key and logs it must lock in the same order, and one that waited
 * for this lock looks at the keys again.
 */
export async function lockLogForKeys(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query('update live_meters set keys_version = keys_version + 1 where workspace_id = $1', [
    workspaceId,
  ]);
}
