import type pg from 'pg';
import { lookUp } from '../database/look-up.ts';
import { pagesOf } from '../database/pages.ts';
import { statement, statements } from '../database/statement.ts';
import { parentField, WHOLE_WORKSPACE } from '../records/counters.ts';
import { RANK_DIGITS } from '../records/id-order.ts';
import { docOf, type RecordValues, selectList } from '../records/row.ts';
import { columnName, type Resource } from '../resources/define.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';
import { verifyClocks, verifyMonth } from './verify-clocks.ts';
import { verifyFeed } from './verify-feed.ts';
import { verifyKeyIndexes, verifyKeys } from './verify-keys.ts';
import { verifyUsage } from './verify-usage.ts';
import { verifyWords } from './verify-words.ts';

const BATCH_RECORDS = 5_000;

const selectEstimate = statement(
  'estimate_records',
  'background: svcd verify reads the counters of all workspaces once',
)`
  select coalesce(sum(records), 0)::bigint as records from record_counts where company_id = $1 and resource = any ($2)`;

/** Estimates how many records {@link verifyRecords} will read, from counters that are not verified yet. */
export async function estimateRecords(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ records: number }>(
    selectEstimate(
      WHOLE_WORKSPACE,
      RECORD_RESOURCES.map(({ name }) => name),
    ),
  );
  return rows[0]?.records ?? 0;
}

/** Without those whose data a job is removing: it removes the clock first. */
const KEPT = '(deleted_at is null or exists (select from workspace_clocks where workspace_id = w.id))';
const selectWorkspaceIds = statement('all_workspaces', 'background: svcd verify reads all workspaces once')`
  select id from workspaces w where ${KEPT} order by id`;
const selectKept = statement('kept_workspace', 'bulk')`select 1 from workspaces w where id = $1 and ${KEPT}`;

/**
 * Verifies all workspaces: compares each doc with its columns, the order of `id_order` with that of the ids, each counter
 * with a count, each clock with its newest time and with the database's clock, the month of the quota with the current one,
 * the usage of keys with the log, the records with the feed, the keys with the table that finds their workspaces, and the
 * words of records with the search. Each comparison is one snapshot, so it is exact while writers run. The repair of a
 * counter blocks the workspace's writers while it counts.
 */
export async function verifyRecords(given: VerifyOptions): Promise<void> {
  const { pool, onFinding } = given;
  // A removal may begin meanwhile.
  const isKept = async (id: string): Promise<boolean> => (await pool.query(selectKept(id))).rowCount === 1;
  const options: VerifyOptions = {
    ...given,
    onFinding: async (finding) => {
      if (await isKept(finding.workspaceId)) await onFinding(finding);
    },
  };
  const { rows } = await pool.query<{ id: string }>(selectWorkspaceIds());
  for (const { id } of rows) {
    for (const resource of RECORD_RESOURCES) {
      await verifyDocs(options, id, resource);
      await verifyCounters(options, id, resource);
    }
    await verifyFeed(options, id);
    await verifyClocks(options, id);
    await verifyMonth(options, id);
    await verifyUsage(options, id);
    await verifyKeys(options, id);
    await verifyWords(options, id);
  }
  await verifyKeyIndexes(given);
}

const lockClock = statement('lock_clock_for_repair', 'request')`
  select 1 from workspace_clocks where workspace_id = $1 for update`;

const verifyStatement = statements('verify_records', 'bulk');
const replaceOrder = statement('replace_id_order', 'bulk')`
  update audits set id_order = decode($3, 'hex')
  where workspace_id = $1 and ctid = (${lookUp({ select: 'ctid', from: 'audits' })})`;

interface VerifiedRow {
  readonly id: string;
  readonly doc: string;
  /** Hexadecimal. Null: the table has no such column. */
  readonly idOrder: string | null;
}

async function verifyDocs(
  { pool, repair, onFinding, onProgress }: VerifyOptions,
  workspaceId: string,
  resource: Resource,
): Promise<void> {
  const { relation, shortKeys } = resource.list;
  const select = verifyStatement(
    `docs_of_${relation}`,
    `select doc, ${shortKeys ? `encode(id_order, 'hex')` : 'null'} as "idOrder", ${selectList(resource)}
     from ${relation} where workspace_id = $1 and id > $2 order by id limit $3`,
  );
  const pages = pagesOf<RecordValues & VerifiedRow>(BATCH_RECORDS, (last) =>
    pool.query(select(workspaceId, last?.id ?? '', BATCH_RECORDS)),
  );
  let order = '';
  for await (const rows of pages) {
    for (const { doc, idOrder, ...values } of rows) {
      if (idOrder !== null && idOrder <= order) {
        const corrected = `${order.slice(0, RANK_DIGITS)}${Buffer.from(values.id).toString('hex')}`;
        if (repair) await pool.query(replaceOrder(workspaceId, values.id, corrected));
        const detail = `${resource.singular} ${values.id}: its id_order does not sort like its id`;
        await onFinding({ workspaceId, problem: 'order', detail, repaired: repair });
        order = corrected;
      } else order = idOrder ?? '';
      const expected = docOf(resource, values);
      if (expected === doc) continue;
      const repaired = repair && (await replaceDoc(pool, relation, workspaceId, values.id, doc, expected));
      await onFinding({
        workspaceId,
        problem: 'wire JSON',
        detail: `${resource.singular} ${values.id}: differs from its columns`,
        repaired,
      });
    }
    onProgress(rows.length);
  }
}

/** Replaces a doc, unless a writer has changed the record meanwhile. */
async function replaceDoc(
  pool: pg.Pool,
  relation: string,
  workspaceId: string,
  id: string,
  doc: string,
  expected: string,
): Promise<boolean> {
  const text = `update ${relation} set doc = $4
    where workspace_id = $1 and ctid = (${lookUp({ select: 'ctid', from: relation })}) and doc = $3`;
  const update = verifyStatement(`replace_doc_of_${relation}`, text);
  return withoutStatementTimeout(pool, async (client) => {
    // As every writer does: the change makes the positions of the feed expire.
    await client.query(lockClock(workspaceId));
    const { rowCount } = await client.query(update(workspaceId, id, doc, expected));
    return rowCount === 1;
  });
}

interface CounterRow {
  readonly company_id: string;
  readonly stored: number;
  readonly counted: number;
}

/** Selects counters that differ from the records, in one snapshot. */
function counterDifferences(resource: Resource): string {
  const { relation } = resource.list;
  const parent = parentField(resource);
  const perCompany =
    parent === undefined
      ? ''
      : `union all select ${columnName(parent)}, count(*) from ${relation} where workspace_id = $1 group by 1`;
  return `select coalesce(c.company_id, k.company_id) as company_id, coalesce(k.records, 0) as stored, coalesce(c.records, 0) as counted
    from (select '${WHOLE_WORKSPACE}' collate "C" as company_id, count(*) as records from ${relation} where workspace_id = $1 ${perCompany}) c
    full join (select company_id, records from record_counts where workspace_id = $1 and resource = $2) k on k.company_id = c.company_id
    where coalesce(k.records, 0) <> coalesce(c.records, 0) order by 1`;
}

async function verifyCounters(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
  resource: Resource,
): Promise<void> {
  const select = verifyStatement(`counters_of_${resource.list.relation}`, counterDifferences(resource));
  const differences = async (client: pg.ClientBase): Promise<readonly CounterRow[]> =>
    (await client.query<CounterRow>(select(workspaceId, resource.name))).rows;
  const found = await withoutStatementTimeout(pool, differences);
  if (repair && found.length > 0) {
    await withoutStatementTimeout(pool, async (client) => {
      // No writer changes counters while the clock is locked.
      await client.query(lockClock(workspaceId));
      await replaceCounts(client, workspaceId, resource, await differences(client));
    });
  }
  for (const { company_id: company, stored, counted } of found) {
    const of = company === WHOLE_WORKSPACE ? '' : ` of company ${company}`;
    await onFinding({
      workspaceId,
      problem: 'counter',
      detail: `${resource.name}${of}: stored ${stored}, counted ${counted}`,
      repaired: repair,
    });
  }
}

const insertCounts = statement('replace_counts', 'bulk')`
  insert into record_counts (workspace_id, resource, company_id, records)
  select $1, $2, * from unnest($3::text[], $4::bigint[])
  on conflict (workspace_id, resource, company_id) do update set records = excluded.records`;

async function replaceCounts(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  wrong: readonly CounterRow[],
): Promise<void> {
  await client.query(
    insertCounts(
      workspaceId,
      resource.name,
      wrong.map((row) => row.company_id),
      wrong.map((row) => row.counted),
    ),
  );
}
