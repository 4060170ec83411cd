import type pg from 'pg';
import type { Resource } from '../resources/define.ts';
import { columnName } from '../resources/field.ts';
import { allocateTimestamps, timeOfMicros } from './clock.ts';
import { addToCounts, countsOf, parentField } from './counters.ts';
import { canonicalValues, docOf, type RecordValues } from './row.ts';

/** A record that a transaction holds: nobody else writes to its workspace until the transaction ends. */
export interface LockedRecord {
  readonly id: string;
  readonly doc: string;
  readonly values: RecordValues;
  /** The clock's time of this write, six fractional digits. */
  readonly now: string;
}

/** Locks the workspace's clock and reads a record; undefined when the scope has none. */
export async function lockRecord(
  client: pg.ClientBase,
  scope: { readonly workspaceId: string; readonly companyId: string | null },
  resource: Resource,
  id: string,
): Promise<LockedRecord | undefined> {
  const now = timeOfMicros(await allocateTimestamps(client, scope.workspaceId, 1));
  const { relation, companyColumn } = resource.list;
  const { rows } = await client.query<{ doc: string }>({
    name: `hold_${relation}`,
    text: `select doc from ${relation} where workspace_id = $1 and id = $2 and ($3::text is null or ${companyColumn ?? 'id'} = $3)`,
    values: [scope.workspaceId, id, scope.companyId],
  });
  const [row] = rows;
  return row === undefined
    ? undefined
    : { id, doc: row.doc, values: JSON.parse(row.doc) as RecordValues, now };
}

/** Writes a held record's new values; returns its new wire JSON. A record that says the same is left alone. */
export async function updateRecord(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  held: LockedRecord,
  values: RecordValues,
): Promise<string> {
  if (docOf(resource, values) === held.doc) return held.doc;
  const changed: RecordValues = 'updatedAt' in resource.fields ? { ...values, updatedAt: held.now } : values;
  const written = canonicalValues(resource, changed);
  const doc = JSON.stringify(written);
  const names = Object.keys(resource.fields).filter((name) => name !== 'id' && name !== 'createdAt');
  const assignments = names.map((name, i) => `${columnName(name)} = $${i + 4}`).join(', ');
  await client.query({
    name: `update_${resource.list.relation}`,
    text: `update ${resource.list.relation} set doc = $3, ${assignments} where workspace_id = $1 and id = $2`,
    values: [workspaceId, held.id, doc, ...names.map((name) => written[name] ?? null)],
  });
  const parent = parentField(resource);
  if (parent !== undefined && written[parent] !== held.values[parent]) {
    await addToCounts(
      client,
      workspaceId,
      resource,
      new Map([
        [String(held.values[parent]), -1],
        [String(written[parent]), 1],
      ]),
    );
  }
  return doc;
}

/** Removes a held record and counts it out. PostgreSQL refuses while other records belong to it (23503). */
export async function deleteRecord(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  held: LockedRecord,
): Promise<void> {
  await client.query({
    name: `delete_${resource.list.relation}`,
    text: `delete from ${resource.list.relation} where workspace_id = $1 and id = $2`,
    values: [workspaceId, held.id],
  });
  await addToCounts(client, workspaceId, resource, countsOf(resource, [held], -1));
}
