import { Readable } from 'node:stream';
import type pg from 'pg';
import { OPERATOR } from '../../src/audit-log/actor.ts';
import type { Format, RefusedRecord } from '../../src/bulk/batches.ts';
import { exportRecords } from '../../src/bulk/export.ts';
import { type ImportOptions, type ImportReport, importRecords } from '../../src/bulk/import.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { createWorkspace } from '../../src/records/workspaces.ts';
import { resourceNamed, TRUE_COUNTS } from './records.ts';

type Chosen = Partial<
  Pick<ImportOptions, 'fileName' | 'atomic' | 'confirm' | 'parallel' | 'onProgress' | 'signal' | 'format'>
>;

/** The report of an import, and all lines that it refused. */
export interface TestImport extends ImportReport {
  readonly lines: readonly RefusedRecord[];
}

/** Imports the text or bytes of a file. Default format: NDJSON. */
export async function importText(
  pool: pg.Pool,
  workspaceId: string,
  resource: string,
  file: string | Uint8Array | Iterable<string | Uint8Array>,
  options: Chosen = {},
): Promise<TestImport> {
  const lines: RefusedRecord[] = [];
  const chunks = typeof file === 'string' || file instanceof Uint8Array ? [file] : file;
  const report = await importRecords({
    pool,
    workspaceId,
    resource: resourceNamed(resource),
    input: Readable.from(
      (function* () {
        for (const chunk of chunks) yield Buffer.from(chunk);
      })(),
    ),
    by: OPERATOR,
    format: 'ndjson',
    onReject: (refused) => void lines.push(...refused),
    ...options,
  });
  return { ...report, lines };
}

/** An audit of the company `c1`, as in a file to import. */
export const auditOf = (id: string, fields: object = {}) => ({
  id,
  companyId: 'c1',
  headlineScore: 50,
  completedAt: '2026-03-01T09:30:00Z',
  ...fields,
});

/** The ids of a workspace's records, oldest first. */
export async function idsIn(
  pool: pg.Pool,
  workspaceId: string,
  table = 'audits',
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from ${table} where workspace_id = $1 order by created_at, id`,
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}

export const ndjson = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

export async function exportText(
  pool: pg.Pool,
  workspaceId: string,
  resource: string,
  format: Format = 'ndjson',
): Promise<string> {
  let text = '';
  for await (const chunk of exportRecords({ pool, workspaceId, resource: resourceNamed(resource), format }))
    text += chunk;
  return text;
}

/** Creates a workspace with these companies. */
export async function workspaceWith(pool: pg.Pool, ...companyIds: readonly string[]): Promise<string> {
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  if (companyIds.length > 0) {
    await importText(pool, workspaceId, 'companies', ndjson(companyIds.map((id) => ({ id, name: id }))));
  }
  return workspaceId;
}

/** The stored counters that differ from the number of records. */
export async function wrongCounts(pool: pg.Pool, workspaceId: string): Promise<readonly unknown[]> {
  const { rows } = await pool.query(
    `select * from (${TRUE_COUNTS}) truth full join (select * from record_counts where workspace_id = $1) kept using (resource, company_id)
     where truth.records is distinct from kept.records`,
    [workspaceId],
  );
  return rows;
}
