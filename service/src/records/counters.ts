import type { Change } from '@svc/packed-changes';
import type pg from 'pg';
import { changeColumns } from '../changes/append.ts';
import { preparedStatement } from '../database/statement.ts';
import type { Resource } from '../resources/define.ts';
import type { RecordInput } from './row.ts';

/** The company_id of the counter of a whole workspace. */
export const WHOLE_WORKSPACE = '';

/** The field that holds the company of a record. Undefined: the records belong to no company, as companies themselves. */
export const parentField = ({ company }: Resource): string | undefined =>
  company === null || company === 'id' ? undefined : company;

/** How records change the counters of their companies and of the workspace. `each`: 1 adds a record, -1 removes it. */
export function countsOf(
  resource: Resource,
  records: Iterable<{ readonly values: RecordInput }>,
  each: 1 | -1 = 1,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (company: string): unknown => counts.set(company, (counts.get(company) ?? 0) + each);
  const parent = parentField(resource);
  for (const { values } of records) {
    count(WHOLE_WORKSPACE);
    if (parent !== undefined) count(String(values[parent]));
  }
  return counts;
}

// A negative number cannot be inserted, not even where the row exists, so the sum is calculated before.
const updateCounts = preparedStatement('note_changes', 'bulk')`
  with appended as (
    insert into changes (workspace_id, last_at, type, changes, bytes, items)
    select $1, * from unnest($5::timestamptz[], $6::text[], $7::smallint[], $8::int[], $9::bytea[])
  )
  insert into record_counts (workspace_id, resource, company_id, records)
  select $1, $2, a.company_id, a.records + coalesce((
    select records from record_counts c where workspace_id = $1 and resource = $2 and c.company_id = a.company_id), 0)
  from unnest($3::text[], $4::bigint[]) as a (company_id, records)
  on conflict (workspace_id, resource, company_id) do update set records = excluded.records`;

/** What a transaction notes of its changes: the rows of the feed, by column, and the differences of the counters. */
export interface ChangeNote {
  readonly rows: readonly (readonly unknown[])[];
  readonly counts: ReadonlyMap<string, number>;
  /** The ids of searched records that were created with a createdAt of their own. */
  readonly earlier: readonly string[];
}

/** The note of changes, which are in the order of their times. */
export const noteOf = (
  changes: readonly Change[],
  counts: ReadonlyMap<string, number>,
  earlier: readonly string[] = [],
): ChangeNote => ({ rows: changeColumns(changes), counts, earlier });

const indexEarlier = preparedStatement('index_earlier_words', 'bulk')`select index_earlier_words($1, $2, $3)`;

/**
 * Appends changes to the feed, and adds to the counters, by company. A counter that does not exist starts at 0. Indexes the
 * words of records before the end of the blocks, which no job does (docs/decisions/0040). The caller has locked the clock.
 */
export async function noteChanges(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  { rows, counts, earlier }: ChangeNote,
): Promise<void> {
  await client.query(
    updateCounts(workspaceId, resource.name, [...counts.keys()], [...counts.values()], ...rows),
  );
  if (earlier.length > 0) await client.query(indexEarlier(workspaceId, resource.list.relation, earlier));
}
