import { timeOfMicros } from '@svc/exact-times/micros';
import { type Change, packChanges } from '@svc/packed-changes';
import type pg from 'pg';
import { preparedStatement } from '../database/statement.ts';

const insertChanges = preparedStatement('append_changes', 'bulk')`
  insert into changes (workspace_id, last_at, type, changes, bytes, items)
  select $1, * from unnest($2::timestamptz[], $3::text[], $4::smallint[], $5::int[], $6::bytea[])`;

/**
 * Appends changes to the feed in the transaction that makes them. They are in the order of their times, which the
 * transaction has allocated from the clock of the workspace.
 */
export async function appendChanges(
  client: pg.ClientBase,
  workspaceId: string,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query(insertChanges(workspaceId, ...changeColumns(changes)));
}

/** The values of the columns `last_at`, `type`, `changes`, `bytes` and `items` of the rows with the changes. */
export function changeColumns(changes: readonly Change[]): readonly (readonly unknown[])[] {
  const rows = packChanges(changes);
  return [
    rows.map(({ lastAt }) => timeOfMicros(lastAt)),
    rows.map(({ type }) => type),
    rows.map((row) => row.changes),
    rows.map(({ bytes }) => bytes),
    rows.map(({ items }) => items),
  ];
}
