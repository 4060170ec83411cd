import type { AuditLogEntry } from '@svc/sdk';
import { csvLine, withoutFormula } from '../../bulk/csv-cells.ts';
import type { Connections } from '../../database/lane.ts';
import type { Position } from '../../list/cursor.ts';
import { DOC_SEPARATOR, type KeysetRow, keysetStatement } from '../../list/keyset.ts';
import type { ListQuery } from '../../list/query.ts';
import { conditionsOf } from '../../list/read.ts';
import { auditLog } from '../../resources/index.ts';
import { EXPORT_PAGE_ENTRIES } from '../limits.ts';
import { logList } from './log-list.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = Object.keys(auditLog.fields);

/**
 * All entries that meet the filters as the text of a file, newest first, a page at a time: memory stays flat, and no
 * transaction is held open. What is written meanwhile is newer than the first page, so it is not in it.
 */
export async function* exportChunks(
  pool: Connections,
  workspaceId: string,
  query: ListQuery,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  const conditions = conditionsOf(logList, query, { workspaceId, companyId: null });
  let position: Position | undefined;
  for (;;) {
    const { name, text, values } = keysetStatement({
      list: logList,
      workspaceId,
      ...conditions,
      sort: query.sort,
      direction: 'forward',
      position,
      limit: EXPORT_PAGE_ENTRIES,
    });
    const { rows } = await pool.query<KeysetRow>({
      ...(name === undefined ? {} : { name }),
      text,
      values: [...values],
    });
    const [page] = rows;
    if (page?.docs == null || page.last_key === null || page.last_id === null) return;
    const docs = page.docs.split(DOC_SEPARATOR).slice(0, EXPORT_PAGE_ENTRIES);
    yield format === 'csv' ? csvOf(docs) : `${docs.join('\n')}\n`;
    if (page.rows <= EXPORT_PAGE_ENTRIES) return;
    position = { side: 'after', key: page.last_key, id: page.last_id };
  }
}

/** A spreadsheet must take what a client has sent (a User-Agent) for text, never for a formula. */
const csvOf = (docs: readonly string[]): string =>
  docs
    .map((doc) => {
      const entry = JSON.parse(doc) as AuditLogEntry;
      const cells = COLUMNS.map((name) => cellOf(entry[name as keyof AuditLogEntry]));
      return csvLine(cells.map((cell) => (cell === '' ? null : withoutFormula(cell))));
    })
    .join('');

/** Ids as words; what has parts as JSON. */
const cellOf = (value: AuditLogEntry[keyof AuditLogEntry]): string => {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return isWords(value) ? value.join(' ') : JSON.stringify(value);
};

const isWords = (value: object): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');
