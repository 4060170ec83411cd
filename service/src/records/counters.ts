import type pg from 'pg';
import type { Resource } from '../declaration/resource.ts';

/** The company_id of the counter of a whole workspace. */
export const WHOLE_WORKSPACE = '';

/** The field that names the company a record belongs to; undefined: its records belong to none, companies among them. */
export const parentField = ({ company }: Resource): string | undefined =>
  company === null || company === 'id' ? undefined : company;

/** Adds to kept counters, by company; a counter that is not there begins at 0. The caller holds the clock. */
export async function addToCounts(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  await client.query({
    name: 'add_to_counts',
    text: `with added as (
      select * from unnest($3::text[], $4::bigint[]) as a (company_id, records)
    ),
    known as (
      update record_counts c set records = c.records + added.records from added
      where c.workspace_id = $1 and c.resource = $2 and c.company_id = added.company_id
      returning c.company_id
    )
    insert into record_counts (workspace_id, resource, company_id, records)
    select $1, $2, company_id, records from added where company_id not in (select company_id from known)`,
    values: [workspaceId, resource.name, [...counts.keys()], [...counts.values()]],
  });
}
