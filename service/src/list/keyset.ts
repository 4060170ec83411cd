import { createHash } from 'node:crypto';
import { type Direction, TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type pg from 'pg';
import type { Queryable } from '../database/lane.ts';
import { type BoundStatement, preparedStatements, statements } from '../database/statement.ts';
import type { Position } from './cursor.ts';
import type { Comparison, ListDefinition, Sort } from './definition.ts';

/** What the statement of a page reads. */
export interface KeysetRead {
  readonly list: ListDefinition;
  readonly workspaceId: string;
  /** Columns of an index that must equal a value, in the order of `list.indexed`: filters, and the company of the key. */
  readonly equal: Readonly<Record<string, string>>;
  /** Other columns that are compared with a value. Those of the sort column limit the range that is read. */
  readonly compared?: readonly Compared[];
  readonly sort: Sort;
  readonly direction: Direction;
  readonly position: Position | undefined;
  readonly limit: number;
}

export interface Compared extends Comparison {
  readonly column: string;
  readonly value: string;
}

/** The statement's single row. The rows of the page are in the order of the statement; all values are text. */
export interface KeysetRow {
  /** The docs of up to limit + 1 rows, joined by {@link DOC_SEPARATOR}. Null: there are no rows. */
  readonly docs: string | null;
  readonly rows: number;
  readonly first_key: string | null;
  readonly first_id: string | null;
  /** Sort key and id of the last row that belongs to the page. */
  readonly last_key: string | null;
  readonly last_id: string | null;
  /** Items of the whole filtered list, at most TOTAL_MAX_ITEMS + 1. Null: the list has no total. */
  readonly total: number | null;
}

/** JSON text never contains a raw line break, so this text separates docs exactly. */
export const DOC_SEPARATOR = ',\n';

/** The most conditions of a prepared statement. With more, or with other operators, there would be too many statements. */
const PREPARED_CONDITIONS_MAX = 2;

const preparedPage = preparedStatements('page', 'request');
const filteredPage = statements('filtered_page', 'request');
const preparedFilteredPage = preparedStatements(
  'prepared_filtered_page',
  'background: it also reads the rows that its filters leave out',
);
const pages = new Map<string, BoundStatement>();

/** Reads one page in one statement. */
export async function readKeyset(connections: Queryable, read: KeysetRead): Promise<KeysetRow> {
  const { rows } = await connections.query<KeysetRow>(keysetStatement(read));
  const [row] = rows;
  if (row === undefined) throw new Error('The page statement returned no row.');
  return row;
}

/**
 * Builds the statement of a page. Statements with few conditions are prepared, so that a connection keeps a bounded
 * number. Identifiers come from the declarations, never from a request; values are always parameters.
 */
export function keysetStatement(read: KeysetRead): pg.QueryConfig & { values: (string | number)[] } {
  const { list, sort, compared = [] } = read;
  const values: (string | number)[] = [read.workspaceId, read.limit];
  const parameter = (value: string): string => `$${values.push(value)}`;
  const fixed = Object.entries(read.equal).map(([column, value]) => ({
    column,
    parameter: parameter(value),
  }));
  const filters = compared
    .filter(({ column }) => column !== sort.column.column)
    .map(({ column, operator, type, value }) => `${column} ${operator} ${parameter(value)}::${type}`);
  const ascending = (sort.order === 'ascending') === (read.direction === 'forward');
  const where = ['workspace_id = $1', ...rangeOf(read, fixed, ascending, parameter), ...filters].join(
    ' and ',
  );

  const shape = `${list.relation} ${sort.column.column} ${ascending} ${list.total} ${where}`;
  let page = pages.get(shape);
  if (page === undefined) {
    const columns = fixed.map(({ column }) => column);
    const counted = [
      'workspace_id = $1',
      ...fixed.map((each) => `${each.column} = ${each.parameter}`),
      ...filters,
    ];
    const text = statementText(list, columns, sort, ascending ? 'asc' : 'desc', where, counted.join(' and '));
    const few = fixed.length + compared.length <= PREPARED_CONDITIONS_MAX;
    const prepared = few && compared.every(({ operator }) => operator === '=');
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const whole = filters.length === 0 ? preparedPage : preparedFilteredPage;
    page = (prepared ? whole : filteredPage)(`page_${hash}`, text);
    pages.set(shape, page);
  }
  return { ...page(), values };
}

interface FixedColumn {
  readonly column: string;
  readonly parameter: string;
}

/**
 * The range of the index that holds the rows of the page and those after it: a bound at each end, or none where the list
 * of the workspace ends. A fixed column has two bounds instead of an equality: with an equality, the order would need no
 * index with this column, and PostgreSQL could choose another index (docs/decisions/0014). A cursor's bound is within
 * those of the filters, because its item was in the list.
 */
function rangeOf(
  { sort, direction, position, compared = [] }: KeysetRead,
  fixed: readonly FixedColumn[],
  ascending: boolean,
  parameter: (value: string) => string,
): readonly string[] {
  const { column, type } = sort.column;
  return (['>', '<'] as const).flatMap((end) => {
    const bound = fixed.map((each) => each.parameter);
    const columns = fixed.map((each) => each.column);
    if (position !== undefined && ascending === (end === '>')) {
      // When the read crosses the item next to the gap, include the item in the comparison.
      const inclusive = (position.side === 'before') === (direction === 'forward');
      bound.push(`${parameter(position.key)}::${type}`, parameter(position.id));
      return `${rowOf([...columns, column, 'id'])} ${end}${inclusive ? '=' : ''} ${rowOf(bound)}`;
    }
    const limit = compared.find((each) => each.column === column && each.operator.startsWith(end));
    if (limit !== undefined) {
      bound.push(`${parameter(limit.value)}::${limit.type}`);
      return `${rowOf([...columns, column])} ${limit.operator} ${rowOf(bound)}`;
    }
    return columns.length === 0 ? [] : `${rowOf(columns)} ${end}= ${rowOf(bound)}`;
  });
}

const rowOf = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join() : `(${parts.join(', ')})`;

/**
 * The order is that of one index only, and total, because it ends in the id. So every page, also the last one, reads
 * limit + 1 index rows. The aggregates read the rows in the order of the subquery.
 */
function statementText(
  list: ListDefinition,
  fixed: readonly string[],
  sort: Sort,
  order: 'asc' | 'desc',
  where: string,
  counted: string,
): string {
  const { column } = sort.column;
  const orders = [...fixed, column, 'id'].map((each) => `${each} ${order}`).join(', ');
  const total = list.total
    ? `(select count(*)::int from (select 1 from ${list.relation} where ${counted} limit ${TOTAL_MAX_ITEMS + 1}) counted)`
    : 'null::int';
  return `select
  string_agg(doc, E',\\n') as docs,
  count(*)::int as rows,
  (array_agg(${column}))[1]::text as first_key, (array_agg(id))[1] as first_id,
  (array_agg(${column}))[least(count(*), $2)::int]::text as last_key, (array_agg(id))[least(count(*), $2)::int] as last_id,
  ${total} as total
from (
  select doc, ${column}, id from ${list.relation}
  where ${where}
  order by ${orders}
  limit $2 + 1
) page`;
}
