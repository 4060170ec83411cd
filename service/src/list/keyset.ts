import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { SEARCHED_ROWS_MAX } from '../config/limits.ts';
import {
  type BoundStatement,
  type NodeForm,
  preparedStatements,
  statements,
  textHash,
} from '../database/statement.ts';
import type { KeysetRead, KeysetRow } from './definition.ts';
import { type IndexRange, indexRangeOf, rowsOf, sourceOf } from './index-range.ts';
import { nodeFormOf } from './node-form.ts';
import { type PageEnds, valuesOf } from './short-keys.ts';
import { readOfFound, withFound } from './word-search.ts';

/** The most conditions of a prepared statement. With more, or with other operators, there would be too many statements. */
const PREPARED_CONDITIONS_MAX = 2;

const preparedPage = preparedStatements('page', 'request');
const narrowPage = statements('narrow_page', 'request');
/** They also read the rows that their filters leave out. So they are not among the short statements of the pipeline. */
const preparedSearch = preparedStatements('prepared_search_page', 'bulk');
const search = statements('search_page', 'bulk');
const foundPage = statements('found_page', 'bulk');
/** The most shapes that are stored. The filters of the audit log alone make tens of thousands. */
const SHAPES_MAX = 1_000;
/** The pages by their shape: two shapes have different texts. */
const pages = new Map<string, { readonly whole: BoundStatement; readonly onNode: NodeForm | undefined }>();

/** Reads one page in one statement. */
export async function readKeyset(connections: Queryable, read: KeysetRead): Promise<KeysetRow> {
  const found = foundStatement(read);
  if (found !== undefined) {
    const { rows } = await connections.query<KeysetRow & { too_common: boolean }>(found);
    const [{ too_common, ...row } = { too_common: true }] = rows;
    if (!too_common) return row as KeysetRow;
  }
  const { rows } = await connections.query<KeysetRow & PageEnds>(keysetStatement(read));
  const [row] = rows;
  if (row === undefined) throw new Error('The page statement returned no row.');
  if (!read.list.shortKeys) return row;
  const [first_key, first_id, first_order] = valuesOf(row.first);
  const [last_key, last_id, last_order] = valuesOf(row.last);
  return { ...row, first_key, first_id, first_order, last_key, last_id, last_order };
}

/**
 * The statement of a page of a search by the index of the words, with `too_common`: then the index does not help, and there
 * is no page. Undefined: the read is no search.
 */
export function foundStatement(
  read: KeysetRead,
): (pg.QueryConfig & { values: (string | number)[] }) | undefined {
  const found = readOfFound(read);
  if (found === undefined) return undefined;
  const range = indexRangeOf(found.read);
  const page = { text: pageText(found.read, range, countedRows(found.read, range)), values: range.values };
  const { text, values } = withFound(page, read.list.relation, found.text);
  return { ...foundPage(`found_page_${textHash(text)}`, text)(), values };
}

/**
 * Builds the statement of a page. Statements with few conditions are prepared, so that a connection keeps a bounded
 * number. Identifiers come from the declarations, never from a request; values are always parameters.
 */
export function keysetStatement(
  read: KeysetRead,
): pg.QueryConfig & { text: string; values: (string | number)[]; onNode?: NodeForm } {
  const { list, sort, compared = [] } = read;
  const range = indexRangeOf(read);
  const { values, fixed, filters, order, where, until } = range;
  const counted = countedRows(read, range);
  const few = fixed.length + compared.length <= PREPARED_CONDITIONS_MAX;
  const prepared = few && compared.every(({ operator }) => operator === '=');
  // A page of a range can have the text of a page after a position, which is prepared.
  const { column } = sort.column;
  const shape = [sourceOf(list), column, order, list.total, where, until, counted, filters, prepared].join(
    ' ',
  );
  let page = pages.get(shape);
  if (page === undefined) {
    const text = pageText(read, range, counted);
    const hash = textHash(text);
    const [whenPrepared, otherwise] =
      filters.length === 0 ? [preparedPage, narrowPage] : [preparedSearch, search];
    page = {
      whole: (prepared ? whenPrepared : otherwise)(`page_${hash}`, text),
      onNode: prepared ? nodeFormOf(read, range, hash) : undefined,
    };
    if (pages.size < SHAPES_MAX) pages.set(shape, page);
  }
  const { whole, onNode } = page;
  return { ...whole(), values, ...(onNode && { onNode }) };
}

/** The condition of the rows that the total counts. Its values become parameters. */
const countedRows = ({ list }: KeysetRead, { equal, ranges, condition }: IndexRange): string =>
  [
    'workspace_id = $1',
    ...equal.map((each) => `${each.column} = ${each.parameter}`),
    ...(list.total ? ranges.map(condition) : []),
  ].join(' and ');

/**
 * The order is that of one index only, and total, because it ends in the id. So every page, also the last one, reads
 * limit + 1 index rows. The aggregates read the rows in the order of the subquery. With filters, a row that does not meet
 * them has no doc. Only the last row of a search is kept without one: it says how far the search got.
 */
function pageText(read: KeysetRead, range: IndexRange, counted: string): string {
  const { list, sort } = read;
  const { column } = sort.column;
  const filters = range.filters.join(' and ');
  const all = filters === '';
  // The order is that of the index that has the range.
  const ordered = range.ranges.length === 0 ? counted : `${counted} order by ${column}, id`;
  const page = all
    ? rowsOf(read, range, 'doc', '$2 + 1')
    : `select * from (
    select *, row_number() over () as number, lead(id) over () is null as is_last,
      first_value(${column}) over () as began_key, first_value(id) over () as began_id from (
  ${rowsOf(read, range, `case when ${filters} then doc end as doc`, `${SEARCHED_ROWS_MAX}`)}
    ) searched
  ) numbered where doc is not null or is_last limit $2 + 1`;
  const searched = `, max(number) = ${SEARCHED_ROWS_MAX} as stopped,
  (array_agg(${column}))[count(*)::int]::text as searched_key, (array_agg(id))[count(*)::int] as searched_id,
  min(began_key)::text as began_key, min(began_id) as began_id`;
  const ends = list.shortKeys
    ? `row_to_json((array_agg(place))[1]) as first, row_to_json((array_agg(place))[least(count(doc), $2)::int]) as last,`
    : `(array_agg(${column}))[1]::text as first_key, (array_agg(id))[1] as first_id,
  (array_agg(${column}))[least(count(doc), $2)::int]::text as last_key, (array_agg(id))[least(count(doc), $2)::int] as last_id,`;
  return `select
  string_agg(doc, E',\\n') as docs,
  count(doc)::int as rows,
  ${ends}
  ${list.total ? totalOf(sourceOf(list), ordered, filters) : 'null::int'} as total${all ? '' : searched}
from (
  ${page}
) page`;
}

/** With filters, a total is known only if all rows can be compared. */
const totalOf = (source: string, where: string, filters: string): string =>
  filters === ''
    ? `(select count(*)::int from (select from ${source} where ${where} limit ${TOTAL_MAX_ITEMS + 1}) counted)`
    : `(select case when count(*) <= ${SEARCHED_ROWS_MAX} then count(*) filter (where meets) end::int
    from (select ${filters} as meets from ${source} where ${where} limit ${SEARCHED_ROWS_MAX + 1}) counted)`;
