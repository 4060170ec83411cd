import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';
import type { Resource } from '../declaration/resource.ts';
import { WHOLE_WORKSPACE } from './counters.ts';
import { docOf, type RecordValues, selectList } from './row.ts';

/** One thing that is not as the records themselves say. */
export interface Finding {
  readonly workspaceId: string;
  readonly problem: 'wire JSON' | 'counter' | 'clock';
  /** What is wrong, for people: ids and numbers, no content. */
  readonly detail: string;
}

export interface VerifyOptions {
  readonly pool: pg.Pool;
  readonly resources: readonly Resource[];
  readonly repair: boolean;
  readonly onFinding: (finding: Finding) => void;
  /** Called with the records that were read since the last call. */
  readonly onProgress: (records: number) => void;
}

const BATCH_RECORDS = 5_000;

/** How many records {@link verifyRecords} will read, roughly: the planner's numbers. */
export async function estimateRecords(pool: pg.Pool, resources: readonly Resource[]): Promise<number> {
  const { rows } = await pool.query<{ records: number }>(
    'select coalesce(sum(greatest(reltuples, 0)), 0)::bigint as records from pg_class where oid = any($1::text[]::regclass[])',
    [resources.map(({ list }) => list.relation)],
  );
  return rows[0]?.records ?? 0;
}

/**
 * Holds a whole database against its records: each doc against its columns, each kept counter against a count, each
 * clock against the newest record. Every comparison is one statement, so it is true beside running writers too.
 */
export async function verifyRecords(options: VerifyOptions): Promise<void> {
  const { rows } = await options.pool.query<{ id: string }>('select id from workspaces order by id');
  for (const { id } of rows) {
    for (const resource of options.resources) {
      await verifyDocs(options, id, resource);
      await verifyCounters(options, id, resource);
    }
    await verifyClocks(options, id);
  }
}

async function verifyDocs(
  { pool, repair, onFinding, onProgress }: VerifyOptions,
  workspaceId: string,
  resource: Resource,
): Promise<void> {
  const { relation } = resource.list;
  let after = '';
  for (;;) {
    const { rows } = await pool.query<{ id: string; doc: string; values: RecordValues }>(
      `select id, doc, row_to_json(v) as values from ${relation} r, lateral (select ${selectList(resource)}) v
       where workspace_id = $1 and id > $2 order by id limit $3`,
      [workspaceId, after, BATCH_RECORDS],
    );
    for (const { id, doc, values } of rows) {
      const expected = docOf(resource, values);
      if (expected === doc) continue;
      onFinding({ workspaceId, problem: 'wire JSON', detail: `${resource.singular} ${id}` });
      // Only while it still says the same: a writer may have been here since.
      if (repair)
        await pool.query(`update ${relation} set doc = $3 where workspace_id = $1 and id = $2 and doc = $4`, [
          workspaceId,
          id,
          expected,
          doc,
        ]);
    }
    onProgress(rows.length);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_RECORDS) return;
    after = last.id;
  }
}

interface CounterRow {
  readonly company_id: string;
  readonly kept: number;
  readonly counted: number;
}

/** Kept counters that differ from the records; one snapshot for both. */
function counterDifferences(resource: Resource): string {
  const { relation, companyColumn } = resource.list;
  const perCompany =
    companyColumn === null || companyColumn === 'id'
      ? ''
      : `union all select ${companyColumn}, count(*) from ${relation} where workspace_id = $1 group by 1`;
  return `select coalesce(c.company_id, k.company_id) as company_id, coalesce(k.records, 0) as kept, coalesce(c.records, 0) as counted
    from (select '${WHOLE_WORKSPACE}' collate "C" as company_id, count(*) as records from ${relation} where workspace_id = $1 ${perCompany}) c
    full join (select company_id, records from record_counts where workspace_id = $1 and resource = $2) k on k.company_id = c.company_id
    where coalesce(k.records, 0) <> coalesce(c.records, 0)`;
}

async function verifyCounters(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
  resource: Resource,
): Promise<void> {
  const text = counterDifferences(resource);
  const { rows } = await pool.query<CounterRow>(text, [workspaceId, resource.name]);
  for (const { company_id: company, kept, counted } of rows) {
    const of = company === WHOLE_WORKSPACE ? '' : ` of company ${company}`;
    onFinding({
      workspaceId,
      problem: 'counter',
      detail: `${resource.name}${of}: kept ${kept}, counted ${counted}`,
    });
  }
  if (!repair || rows.length === 0) return;
  await inTransaction(pool, async (client) => {
    // No writer counts while the clock is held.
    await client.query('select 1 from workspace_clocks where workspace_id = $1 for update', [workspaceId]);
    const { rows: wrong } = await client.query<CounterRow>(text, [workspaceId, resource.name]);
    for (const { company_id, counted } of wrong) {
      await client.query(
        `insert into record_counts (workspace_id, resource, company_id, records) values ($1, $2, $3, $4)
         on conflict (workspace_id, resource, company_id) do update set records = excluded.records`,
        [workspaceId, resource.name, company_id, counted],
      );
    }
  });
}

async function verifyClocks(
  { pool, resources, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  const newest = resources
    .map(({ list }) => `select max(created_at) as at from ${list.relation} where workspace_id = $1`)
    .join(' union all ');
  await verifyClock('records', `select max(at) as at from (${newest}) newest`, 'workspace_clocks', 'last_at');
  await verifyClock(
    'audit log',
    'select max(created_at) as at from audit_log where workspace_id = $1',
    'live_meters',
    'last_entry_at',
  );

  async function verifyClock(name: string, truth: string, table: string, column: string): Promise<void> {
    const { rows } = await pool.query<{ at: string }>(
      `select newest.at::text as at from (${truth}) newest, ${table} c where c.workspace_id = $1 and c.${column} < newest.at`,
      [workspaceId],
    );
    const [behind] = rows;
    if (behind === undefined) return;
    onFinding({
      workspaceId,
      problem: 'clock',
      detail: `the clock of the ${name} is behind its newest entry, ${behind.at}`,
    });
    if (repair)
      await pool.query(`update ${table} set ${column} = greatest(${column}, $2) where workspace_id = $1`, [
        workspaceId,
        behind.at,
      ]);
  }
}
