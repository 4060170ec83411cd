import type pg from 'pg';
import { WHOLE_WORKSPACE } from '../resources/count.ts';
import type { Resource } from '../resources/resource.ts';
import type { Row } from './row.ts';

/** The field that names the company a record belongs to; undefined: its records belong to none, companies among them. */
export const parentField = ({ company }: Resource): string | undefined =>
  company === null || company === 'id' ? undefined : company;

/** Adds new records to the kept counters, of each company and of the workspace. The caller holds the clock. */
export async function countInserted(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  rows: readonly Row[],
): Promise<void> {
  const counts = new Map([[WHOLE_WORKSPACE, rows.length]]);
  const parent = parentField(resource);
  if (parent !== undefined) {
    for (const { values } of rows) {
      const company = String(values[parent]);
      counts.set(company, (counts.get(company) ?? 0) + 1);
    }
  }
  await client.query({
    name: 'count_inserted',
    text: `insert into record_counts (workspace_id, resource, company_id, records)
      select $1, $2, company_id, records from unnest($3::text[], $4::bigint[]) as added (company_id, records)
      on conflict (workspace_id, resource, company_id) do update set records = record_counts.records + excluded.records`,
    values: [workspaceId, resource.name, [...counts.keys()], [...counts.values()]],
  });
}
