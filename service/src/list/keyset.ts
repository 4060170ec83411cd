import { createHash } from 'node:crypto';
import { type Direction, TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type pg from 'pg';
import type { Queryable } from '../database/lane.ts';
import type { Position } from './cursor.ts';
import type { Comparison, ListDefinition, Sort } from './definition.ts';

/** What the statement of a page reads. */
export interface KeysetRead {
  readonly list: ListDefinition;
  readonly workspaceId: string;
  /** Columns that must equal a value: filters, and the company of the key. */
  readonly equal: Readonly<Record<string, string>>;
  /** Columns that are compared with a value by another operator. */
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

/** The most equal columns of a prepared statement. With more, or with comparisons, there would be too many statements. */
const PREPARED_COLUMNS_MAX = 2;

/** The number of the first condition's parameter. The workspace and the limit come before it. */
const FIRST_CONDITION = 3;

const statements = new Map<string, Readonly<pg.QueryConfig>>();

/** Reads one page in one statement. */
export async function readKeyset(connections: Queryable, read: KeysetRead): Promise<KeysetRow> {
  const { rows } = await connections.query<KeysetRow>(keysetStatement(read));
  const [row] = rows;
  if (row === undefined) throw new Error('The page statement returned no row.');
  return row;
}

/**
 * Builds the statement of a page. Statements with few conditions are prepared, so that a connection keeps a bounded
 * number.
 */
export function keysetStatement(read: KeysetRead): pg.QueryConfig & { values: (string | number)[] } {
  const { list, sort, position, compared = [] } = read;
  const columns = Object.keys(read.equal);
  const ascending = (sort.order === 'ascending') === (read.direction === 'forward');
  // When the read crosses the item next to the gap, include the item in the comparison.
  const inclusive = position !== undefined && (position.side === 'before') === (read.direction === 'forward');
  const comparison = position === undefined ? '' : `${ascending ? '>' : '<'}${inclusive ? '=' : ''}`;

  const conditions = [
    ...columns.map((name, i) => `${name} = $${i + FIRST_CONDITION}`),
    ...compared.map(
      ({ column, operator, type }, i) =>
        `${column} ${operator} $${i + FIRST_CONDITION + columns.length}::${type}`,
    ),
  ];
  const shape = `${list.relation} ${conditions.join(' ')} ${sort.column.column} ${ascending} ${comparison} ${list.total}`;
  let statement = statements.get(shape);
  if (statement === undefined) {
    const text = statementText(list, conditions, sort, ascending ? 'asc' : 'desc', comparison);
    const prepared = compared.length === 0 && columns.length <= PREPARED_COLUMNS_MAX;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    statement = { ...(prepared ? { name: `page_${hash}` } : {}), text };
    statements.set(shape, statement);
  }
  const values = [
    read.workspaceId,
    read.limit,
    ...Object.values(read.equal),
    ...compared.map(({ value }) => value),
  ];
  return { ...statement, values: position === undefined ? values : [...values, position.key, position.id] };
}

/**
 * Identifiers come from the declarations, never from a request; values are always parameters. The order is total, because
 * it ends in the id, and the row comparison has exactly the columns of an index. So every page, also the last one, reads
 * limit + 1 index rows. The aggregates read the rows in the order of the subquery.
 */
function statementText(
  list: ListDefinition,
  conditions: readonly string[],
  sort: Sort,
  order: 'asc' | 'desc',
  comparison: string,
): string {
  const { column, type } = sort.column;
  const where = ['workspace_id = $1', ...conditions].join(' and ');
  const next = conditions.length + FIRST_CONDITION;
  const after =
    comparison === '' ? '' : ` and (${column}, id) ${comparison} ($${next}::${type}, $${next + 1})`;
  const total = list.total
    ? `(select count(*)::int from (select 1 from ${list.relation} where ${where} limit ${TOTAL_MAX_ITEMS + 1}) counted)`
    : 'null::int';
  return `select
  string_agg(doc, E',\\n') as docs,
  count(*)::int as rows,
  (array_agg(${column}))[1]::text as first_key, (array_agg(id))[1] as first_id,
  (array_agg(${column}))[least(count(*), $2)::int]::text as last_key, (array_agg(id))[least(count(*), $2)::int] as last_id,
  ${total} as total
from (
  select doc, ${column}, id from ${list.relation}
  where ${where}${after}
  order by ${column} ${order}, id ${order}
  limit $2 + 1
) page`;
}
