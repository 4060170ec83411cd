import type pg from 'pg';
import { type NodeForm, preparedStatements } from '../database/statement.ts';
import { DOC_SEPARATOR, type KeysetRead, type KeysetRow } from './definition.ts';
import { type IndexRange, rowsOf } from './index-range.ts';
import type { PageEnd, PageEnds } from './short-keys.ts';

const rowsOnNode = preparedStatements('page_on_node', 'request');

/** A row of the page. pg reads a time as text, and a bytea as bytes. */
interface NodeRow extends pg.QueryResultRow {
  readonly doc: string;
  readonly id: string;
  readonly id_order?: Buffer;
}

/**
 * The form of a page for a node of a cluster: its rows, which this process joins. Undefined: the page needs more than the
 * rows of one table, so Citus would plan it no faster.
 */
export function nodeFormOf(read: KeysetRead, range: IndexRange, hash: string): NodeForm | undefined {
  const { list, sort } = read;
  if (range.filters.length > 0 || list.total || list.source !== undefined) return undefined;
  const text = rowsOf(read, range, 'doc', '$2 + 1', list.shortKeys ? ['id_order'] : []);
  const name = `rows_${hash}`;
  rowsOnNode(name, text);
  const { column } = sort.column;
  return {
    name,
    text,
    gather: (rows, [, limit]) =>
      (list.shortKeys ? shortKeyRow : idRow)(rows as NodeRow[], column, Number(limit)),
  };
}

const shared = (rows: readonly NodeRow[]) => ({
  docs: rows.length === 0 ? null : rows.map(({ doc }) => doc).join(DOC_SEPARATOR),
  rows: rows.length,
  total: null,
});

/** The last row that belongs to the page. */
const lastOf = (rows: readonly NodeRow[], limit: number): NodeRow | undefined =>
  rows[Math.min(rows.length, limit) - 1];

function shortKeyRow(
  rows: readonly NodeRow[],
  column: string,
  limit: number,
): Pick<KeysetRow, 'docs' | 'rows' | 'total'> & PageEnds {
  const endOf = (row: NodeRow | undefined): PageEnd | null =>
    row === undefined
      ? null
      : { f1: asInJson(row[column]), f2: row.id, f3: `\\x${row.id_order?.toString('hex') ?? ''}` };
  return { ...shared(rows), first: endOf(rows[0]), last: endOf(lastOf(rows, limit)) };
}

function idRow(rows: readonly NodeRow[], column: string, limit: number): KeysetRow {
  const first = rows[0];
  const last = lastOf(rows, limit);
  return {
    ...shared(rows),
    first_key: first === undefined ? null : String(first[column]),
    first_id: first?.id ?? null,
    last_key: last === undefined ? null : String(last[column]),
    last_id: last?.id ?? null,
  };
}

/** A sort key as row_to_json writes it: `2026-01-02T03:04:05.678901+00:00` for `2026-01-02 03:04:05.678901+00`. */
const asInJson = (key: string | number): string | number =>
  typeof key === 'number' ? key : `${key.replace(' ', 'T')}:00`;
