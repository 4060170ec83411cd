import type pg from 'pg';
import { migrate, readMigrationFiles } from '../../src/database/migrate.ts';
import type { RecordedDatabase, Row } from './recorded.ts';

/** Fills an empty database with the recorded rows of a release, in the schema of that release. */
export async function restoreRelease(pool: pg.Pool, { tables, recordedAt }: RecordedDatabase): Promise<void> {
  const history = tables['schema_migrations'] ?? [];
  const files = (await readMigrationFiles()).slice(0, history.length);
  await migrate(pool, undefined, files);
  await pool.query(monthOf(recordedAt));
  for (const [table, rows] of Object.entries(tables)) {
    if (table !== 'schema_migrations') await insertRows(pool, table, rows);
  }
}

async function insertRows(pool: pg.Pool, table: string, rows: readonly Row[]): Promise<void> {
  // A trigger may have created some.
  await pool.query(`delete from ${table}`);
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
