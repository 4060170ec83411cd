import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { newId } from '../ids.ts';
import type { Resource } from '../declaration/resource.ts';
import { takeTicks, timeOfMicros } from './clock.ts';
import { countInserted, parentField } from './counters.ts';
import { columnsOf, copyLine, type RecordInput, type Row, rowOf } from './row.ts';

export type { RecordInput } from './row.ts';

export interface Inserted {
  /** Of the input. */
  readonly index: number;
  readonly id: string;
  /** The record's wire JSON. */
  readonly doc: string;
}

/** What became of each input, by its index, in input order. */
export interface InsertResult {
  readonly inserted: readonly Inserted[];
  /** The workspace has a record with this id already, or an earlier input has it. */
  readonly existing: readonly number[];
  /** The company that it names does not exist. */
  readonly withoutCompany: readonly number[];
  /** Its own createdAt is not past: whoever walks towards newer records would skip all that come before it. */
  readonly notPast: readonly number[];
}

/**
 * Writes validated records in the caller's transaction, which is READ COMMITTED, and counts them. It locks the
 * workspace's clock first and what it looks up afterwards stays true until the transaction ends, so no other writer
 * can make it wrong. createdAt is one microsecond after another, in input order.
 */
export async function insertRecords(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  inputs: readonly RecordInput[],
): Promise<InsertResult> {
  if (inputs.length === 0) return { inserted: [], existing: [], withoutCompany: [], notPast: [] };
  const first = await takeTicks(client, workspaceId, inputs.length);
  const now = timeOfMicros(first);
  const taken = await existingIds(client, workspaceId, resource.list.relation, texts(inputs, 'id'));
  const parent = parentField(resource);
  const companies = parent && (await existingIds(client, workspaceId, 'companies', texts(inputs, parent)));

  const rows: Row[] = [];
  const result = {
    inserted: [] as Inserted[],
    existing: [] as number[],
    withoutCompany: [] as number[],
    notPast: [] as number[],
  };
  for (const [index, input] of inputs.entries()) {
    if (typeof input['id'] === 'string' && taken.has(input['id'])) result.existing.push(index);
    else if (parent && companies && !companies.has(String(input[parent]))) result.withoutCompany.push(index);
    else {
      const given = { id: newId(resource.idPrefix), createdAt: timeOfMicros(first + index) };
      const row = rowOf(resource, input, given);
      if (input['createdAt'] !== undefined && row.createdAt >= now) result.notPast.push(index);
      else {
        taken.add(row.id);
        rows.push(row);
        result.inserted.push({ index, id: row.id, doc: row.doc });
      }
    }
  }
  if (rows.length > 0) {
    await copyRows(client, workspaceId, resource, rows);
    await countInserted(client, workspaceId, resource, rows);
  }
  return result;
}

function texts(inputs: readonly RecordInput[], name: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const input of inputs) {
    const value = input[name];
    if (typeof value === 'string') found.add(value);
  }
  return found;
}

async function existingIds(
  client: pg.ClientBase,
  workspaceId: string,
  relation: string,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const { rows } = await client.query<{ id: string }>({
    text: `select wanted.id from unnest($2::text[]) as wanted (id) cross join lateral (
      select 1 from ${relation} where workspace_id = $1 and id = wanted.id offset 0) found`,
    values: [workspaceId, [...ids]],
  });
  return new Set(rows.map((row) => row.id));
}

async function copyRows(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  rows: readonly Row[],
): Promise<void> {
  let text = '';
  for (const row of rows) text += copyLine(workspaceId, resource, row);
  const copy = client.query(
    copyFrom(`copy ${resource.list.relation} (${columnsOf(resource).join(', ')}) from stdin`),
  );
  const done = finished(copy);
  copy.end(text);
  await done;
}
