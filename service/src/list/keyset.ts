import { createHash } from 'node:crypto';
import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type pg from 'pg';
import { SEARCHED_ROWS_MAX } from '../config/limits.ts';
import type { Queryable } from '../database/lane.ts';
import { type BoundStatement, preparedStatements, statements } from '../database/statement.ts';
import type { Compared, KeysetRead, KeysetRow, ListDefinition, Sort } from './definition.ts';
import {
  type FixedColumn,
  idOrderOf,
  indexKeyOf,
  type Places,
  shortKeyConditions,
  valuesOf,
} from './short-keys.ts';

/** JSON text never contains a raw line break, so this text separates docs exactly. */
export const DOC_SEPARATOR = ',\n';

/** The most conditions of a prepared statement. With more, or with other operators, there would be too many statements. */
const PREPARED_CONDITIONS_MAX = 2;

const preparedPage = preparedStatements('page', 'request');
const narrowPage = statements('narrow_page', 'request');
/** They also read the rows that their filters leave out. So they are not among the short statements of the pipeline. */
const preparedSearch = preparedStatements('prepared_search_page', 'bulk');
const search = statements('search_page', 'bulk');
const pages = new Map<string, BoundStatement>();

/** Reads one page in one statement. */
export async function readKeyset(connections: Queryable, read: KeysetRead): Promise<KeysetRow> {
  const { rows } = await connections.query<KeysetRow & Places>(keysetStatement(read));
  const [row] = rows;
  if (row === undefined) throw new Error('The page statement returned no row.');
  if (!read.list.shortKeys) return row;
  const [first_key, first_id, first_order] = valuesOf(row.first);
  const [last_key, last_id, last_order] = valuesOf(row.last);
  return { ...row, first_key, first_id, first_order, last_key, last_id, last_order };
}

/**
 * Builds the statement of a page. Statements with few conditions are prepared, so that a connection keeps a bounded
 * number. Identifiers come from the declarations, never from a request; values are always parameters.
 */
export function keysetStatement(read: KeysetRead): pg.QueryConfig & { values: (string | number)[] } {
  const { list, sort, compared = [] } = read;
  const values: (string | number)[] = [read.workspaceId, read.limit];
  const parameter = (value: string): string => `$${values.push(value)}`;
  const equal = Object.entries(read.equal).map(([column, value]) => ({
    column,
    parameter: parameter(value),
  }));
  const fixed = equal.map((each) => indexKeyOf(list, each));
  const condition = ({ column, operator, type, value }: Compared): string =>
    `${column} ${operator} ${parameter(value)}::${type}`;
  const ranges = compared.filter(({ column }) => column === sort.column.column);
  const filters = compared.filter((each) => !ranges.includes(each)).map(condition);
  const ascending = (sort.order === 'ascending') === (read.direction === 'forward');
  const { bounds, until } = rangeOf(read, fixed, ascending, parameter);
  const conditions = shortKeyConditions(list, equal);
  const where = ['workspace_id = $1', ...conditions, ...bounds].join(' and ');
  const counted = [
    'workspace_id = $1',
    ...equal.map((each) => `${each.column} = ${each.parameter}`),
    ...(list.total ? ranges.map(condition) : []),
  ].join(' and ');

  const shape = [
    list.relation,
    sort.column.column,
    ascending,
    list.total,
    where,
    until,
    counted,
    filters,
  ].join(' ');
  let page = pages.get(shape);
  if (page === undefined) {
    const range = {
      list,
      fixed,
      sort,
      order: ascending ? 'asc' : 'desc',
      where,
      until,
      // The order is that of the index that has the range.
      counted: ranges.length === 0 ? counted : `${counted} order by ${sort.column.column}, id`,
    };
    const text = statementText(range, filters.join(' and '));
    const few = fixed.length + compared.length <= PREPARED_CONDITIONS_MAX;
    const prepared = few && compared.every(({ operator }) => operator === '=');
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const [whenPrepared, otherwise] =
      filters.length === 0 ? [preparedPage, narrowPage] : [preparedSearch, search];
    page = (prepared ? whenPrepared : otherwise)(`page_${hash}`, text);
    pages.set(shape, page);
  }
  return { ...page(), values };
}

/**
 * The range of the index that holds the rows of the page and those after it: a bound at each end, or none where the list
 * of the workspace ends. A fixed column has two bounds instead of an equality: with an equality, the order would need no
 * index with this column, and PostgreSQL could choose another index (docs/decisions/0014). A cursor's bound is within
 * those of the filters, because its item was in the list.
 *
 * `until`: where the range ends, if several columns say it. It is compared after the rows of the page are read: before 18,
 * PostgreSQL does not stop at such a bound, and would read on for as long as the first column is the same.
 */
function rangeOf(
  { list, sort, direction, position, compared = [] }: KeysetRead,
  fixed: readonly FixedColumn[],
  ascending: boolean,
  parameter: (value: string) => string,
): { readonly bounds: readonly string[]; readonly until: string | undefined } {
  const { column, type } = sort.column;
  const columns = fixed.map((each) => each.column);
  const boundAt = (end: '>' | '<'): Bound | undefined => {
    const bound = fixed.map((each) => each.parameter);
    if (position !== undefined && ascending === (end === '>')) {
      // When the read crosses the item next to the gap, include the item in the comparison.
      const inclusive = (position.side === 'before') === (direction === 'forward');
      bound.push(`${parameter(position.key)}::${type}`);
      // If the item was the newest one and is deleted, a later item may have its order, so the id decides.
      if (list.shortKeys) bound.push(`decode(${parameter(position.order ?? '')}, 'hex')`);
      bound.push(parameter(position.id));
      const place = [column, ...(list.shortKeys ? ['id_order'] : []), 'id'];
      return { place, comparison: `${end}${inclusive ? '=' : ''} ${rowOf(bound)}` };
    }
    const limit = compared.find((each) => each.column === column && each.operator.startsWith(end));
    if (limit !== undefined) {
      bound.push(`${parameter(limit.value)}::${limit.type}`);
      return { place: [column], comparison: `${limit.operator} ${rowOf(bound)}` };
    }
    return columns.length === 0 ? undefined : { place: [], comparison: `${end}= ${rowOf(bound)}` };
  };
  const [near, far] = ascending ? (['>', '<'] as const) : (['<', '>'] as const);
  const [starts, ends] = [boundAt(near), boundAt(far)].map(
    (bound) => bound && { ...bound, text: `${rowOf([...columns, ...bound.place])} ${bound.comparison}` },
  );
  const [first] = fixed;
  const isOne = ends === undefined || columns.length + ends.place.length === 1;
  const limit = isOne || first === undefined ? ends?.text : `${first.column} ${far}= ${first.parameter}`;
  return {
    bounds: [starts?.text, limit].filter((each) => each !== undefined),
    until: isOne ? undefined : `${rowOf([...fixed.map(nameOf), ...ends.place])} ${ends.comparison}`,
  };
}

/** An end of a range: the columns after the fixed ones, and what they and the fixed ones are compared with. */
interface Bound {
  readonly place: readonly string[];
  readonly comparison: string;
}

const nameOf = ({ column, name = column }: FixedColumn): string => name;

const rowOf = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join() : `(${parts.join(', ')})`;

interface IndexRange {
  readonly list: ListDefinition;
  readonly fixed: readonly FixedColumn[];
  readonly sort: Sort;
  readonly order: string;
  readonly where: string;
  readonly until: string | undefined;
  readonly counted: string;
}

/**
 * The order is that of one index only, and total, because it ends in the id. So every page, also the last one, reads
 * limit + 1 index rows. The aggregates read the rows in the order of the subquery. With filters, a row that does not meet
 * them has no doc. Only the last row of a search is kept without one: it says how far the search got.
 */
function statementText(
  { list, fixed, sort, order, where, until, counted }: IndexRange,
  filters: string,
): string {
  const source = list.source ?? list.relation;
  const { column } = sort.column;
  const orders = [...fixed.map((each) => each.column), column, idOrderOf(list)]
    .map((each) => `${each} ${order}`)
    .join(', ');
  const keys = fixed.map((each) =>
    each.name === undefined ? each.column : `${each.column} as ${each.name}`,
  );
  const values = [column, 'id', ...(list.shortKeys ? [`(${column}, id, id_order) as place`] : [])];
  const rows = (doc: string, limit: string): string => {
    const read = `select ${[doc, ...values, ...(until === undefined ? [] : keys)].join(', ')} from ${source}
  where ${where}
  order by ${orders}
  limit ${limit}`;
    return until === undefined ? read : `select * from (${read}) ranged where ${until}`;
  };
  const all = filters === '';
  const page = all
    ? rows('doc', '$2 + 1')
    : `select * from (
    select *, row_number() over () as number, lead(id) over () is null as is_last,
      first_value(${column}) over () as began_key, first_value(id) over () as began_id from (
  ${rows(`case when ${filters} then doc end as doc`, `${SEARCHED_ROWS_MAX}`)}
    ) searched
  ) numbered where doc is not null or is_last limit $2 + 1`;
  const searched = `, max(number) = ${SEARCHED_ROWS_MAX} as stopped,
  (array_agg(${column}))[count(*)::int]::text as searched_key, (array_agg(id))[count(*)::int] as searched_id,
  min(began_key)::text as began_key, min(began_id) as began_id`;
  const places = list.shortKeys
    ? `row_to_json((array_agg(place))[1]) as first, row_to_json((array_agg(place))[least(count(doc), $2)::int]) as last,`
    : `(array_agg(${column}))[1]::text as first_key, (array_agg(id))[1] as first_id,
  (array_agg(${column}))[least(count(doc), $2)::int]::text as last_key, (array_agg(id))[least(count(doc), $2)::int] as last_id,`;
  return `select
  string_agg(doc, E',\\n') as docs,
  count(doc)::int as rows,
  ${places}
  ${list.total ? totalOf(source, counted, filters) : 'null::int'} as total${all ? '' : searched}
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
