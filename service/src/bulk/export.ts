import type { Cell } from '@svc/csv-lines';
import { writableFields } from '@svc/sdk/contract';
import { csvLine, withoutFormula } from '@svc/sdk/csv';
import { rollback } from '../database/pool.ts';
import { statement, statements } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { idOrderOf, WORKSPACE_KEY } from '../list/short-keys.ts';
import type { RecordValues } from '../records/row.ts';
import type { Resource } from '../resources/define.ts';
import type { Format } from './batches.ts';
import { type BulkTarget, requireWorkspace } from './target.ts';

export interface ExportOptions extends BulkTarget {
  readonly format: Format;
  /**
   * For CSV: whether to put an apostrophe before text that a spreadsheet would run as a formula. Default: false, so that
   * an import of the file gives the same records.
   */
  readonly csvSafe?: boolean;
  /** Called with the number of records since the last call. */
  readonly onProgress?: (records: number) => void;
}

const FETCH_RECORDS = 2_000;

interface ExportRow {
  readonly doc: string;
  readonly created: string;
}

const beginSnapshot = statement('begin_snapshot', 'control')`begin isolation level repeatable read read only`;
const declareExport = statements('export_records', 'bulk');
const fetchRecords = statement('fetch_exported_records', 'control')`fetch ${FETCH_RECORDS} from exported`;

/**
 * Yields the text of a file with all records of the resource in the workspace, oldest first, from one snapshot. An import
 * of the file into an empty workspace gives the same lists. Reads by a database cursor, so memory is bounded. Throws
 * BulkError if the workspace does not exist.
 */
export async function* exportRecords(options: ExportOptions): AsyncGenerator<string> {
  const { workspaceId, resource, format, csvSafe = false, onProgress } = options;
  await requireWorkspace(options);
  const toText = format === 'csv' ? recordLine(resource, csvSafe) : ndjsonLine(resource);
  const { relation, shortKeys } = resource.list;
  const declare = declareExport(
    `export_${relation}`,
    `declare exported no scroll cursor for
        select doc, ${utc('created_at')} as created
        from ${relation} where workspace_id = $1${shortKeys ? ` and ${WORKSPACE_KEY}` : ''}
        order by created_at, ${idOrderOf(resource.list)}`,
  );
  const client = await options.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(beginSnapshot());
    await client.query(declare(workspaceId));
    if (format === 'csv') yield csvLine(Object.keys(writableFields(resource, 'import')));
    for (;;) {
      const { rows } = await client.query<ExportRow>(fetchRecords());
      if (rows.length === 0) break;
      yield rows.map(toText).join('');
      onProgress?.(rows.length);
    }
  } finally {
    // Also if the reader stops before the end.
    await client.query(rollback()).catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}

type ToText = (row: ExportRow) => string;

/** The wire JSON, with createdAt if the wire JSON has none. */
const ndjsonLine = ({ fields }: Resource): ToText =>
  'createdAt' in fields
    ? ({ doc }) => `${doc}\n`
    : ({ doc, created }) => `${doc.slice(0, -1)},"createdAt":"${created}"}\n`;

function recordLine(resource: Resource, safe: boolean): ToText {
  const names = Object.keys(writableFields(resource, 'import'));
  return ({ doc, created }) => {
    const values: RecordValues = { createdAt: created, ...(JSON.parse(doc) as RecordValues) };
    return csvLine(names.map((name) => cellOf(values, name, safe)));
  };
}

function cellOf(values: RecordValues, name: string, safe: boolean): Cell {
  const value = values[name] ?? null;
  if (typeof value !== 'string') return value === null ? null : String(value);
  return safe ? withoutFormula(value) : value;
}
