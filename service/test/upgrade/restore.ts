import type pg from 'pg';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrationFiles } from '../../src/database/migration-files.ts';
import type { Recorded, Row } from './recorded.ts';

const LARGE_COMPANY = 'com_large';
const MS_PER_SECOND = 1_000;
/** Rows of one statement: the pool bounds how long one may take. */
const CHUNK = 50_000;

/** Fills an empty database with what a release has kept in it, in that release's schema. */
export async function restoreRelease(pool: pg.Pool, { tables, recordedAt }: Recorded): Promise<void> {
  const history = tables['schema_migrations'] ?? [];
  const files = (await readMigrationFiles()).slice(0, history.length);
  await migrate(pool, undefined, files);
  await pool.query(monthOf(recordedAt));
  for (const [table, rows] of Object.entries(tables)) {
    if (table !== 'schema_migrations') await insertRows(pool, table, rows);
  }
}

/** Adds a workspace with this many audits, as that release would have written them. Takes no clock of the machine. */
export async function addLargeWorkspace(
  pool: pg.Pool,
  { tables, recordedAt }: Recorded,
  workspaceId: string,
  audits: number,
): Promise<void> {
  const first = (table: string): Row => ({ ...tables[table]?.[0], workspace_id: workspaceId });
  const lastAt = new Date(recordedAt - MS_PER_SECOND).toISOString();
  await insertRows(pool, 'workspaces', [{ ...tables['workspaces']?.[0], id: workspaceId }]);
  await insertRows(pool, 'workspace_clocks', [{ ...first('workspace_clocks'), last_at: lastAt }]);
  await insertRows(pool, 'live_meters', [first('live_meters')]);
  const company = JSON.stringify(first('companies')).replaceAll('com_1', LARGE_COMPANY);
  await insertRows(pool, 'companies', [JSON.parse(company) as Row]);
  for (const [resource, companyId, records] of [
    ['companies', '', 1],
    ['audits', '', audits],
    ['audits', LARGE_COMPANY, audits],
  ]) {
    const count = { workspace_id: workspaceId, resource, company_id: companyId, records };
    await insertRows(pool, 'record_counts', [count]);
  }
  const indexes = (await pool.query<{ name: string; definition: string }>(INDEXES)).rows;
  for (const { name } of indexes) await pool.query(`drop index ${name}`);
  for (let from = 1; from <= audits; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, audits);
    await pool.query(LARGE_AUDITS, [workspaceId, LARGE_COMPANY, lastAt, audits, from, to]);
  }
  // In their order: the planner prefers the newest of two that cost the same.
  for (const { definition } of indexes) await pool.query(definition);
}

/** Those that are made faster over rows that are there. */
const INDEXES = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index where indrelid = 'audits'::regclass and not indisprimary order by indexrelid`;

const LARGE_AUDITS = `
  insert into audits (workspace_id, id, company_id, headline_score, completed_at, created_at, doc)
  select $1, id, $2, score, completed, $3::timestamptz - ($4::int - n) * interval '1 microsecond',
    format('{"id":"%s","companyId":"%s","headlineScore":%s,"completedAt":"%s"}', id, $2::text, score,
      to_char(completed at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
  from (
    select n, 'aud_large_' || n as id, (n * 37) % 101 as score, timestamptz '2025-01-01Z' + n * interval '31 seconds' as completed
    from generate_series($5::int, $6::int) as n
  ) as made`;

async function insertRows(pool: pg.Pool, table: string, rows: readonly Row[]): Promise<void> {
  await pool.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
    JSON.stringify(rows),
  ]);
}

/** The audit log's partition for entries of this time. */
function monthOf(ms: number): string {
  const at = new Date(ms);
  const day = (month: number): string =>
    new Date(Date.UTC(at.getUTCFullYear(), month, 1)).toISOString().slice(0, 10);
  const [from, to] = [day(at.getUTCMonth()), day(at.getUTCMonth() + 1)];
  return `create table audit_log_${from.slice(0, 7).replace('-', '_')}
    partition of audit_log for values from ('${from}') to ('${to}')`;
}
