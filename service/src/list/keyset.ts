import { createHash } from 'node:crypto';
import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type { Position } from './cursor.ts';
import type { Comparison, ListDefinition, Sort } from './definition.ts';
import type { Direction } from './query.ts';

/** The one statement that reads a page: which rows, in which order, from where on. */
export interface KeysetRead {
  readonly list: ListDefinition;
  readonly workspaceId: string;
  /** Columns that must equal a value: the filters and the company of the key. */
  readonly equal: Readonly<Record<string, string>>;
  /** Columns that are compared with a value in another way. */
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

/** Shape of the statement's single row. Rows are in the order of travel; all is text. */
export interface KeysetRow {
  /** The docs of up to limit + 1 rows, joined by {@link DOC_SEPARATOR}; null when there are none. */
  readonly docs: string | null;
  readonly rows: number;
  readonly first_key: string | null;
  readonly first_id: string | null;
  /** Sort key and id of the last row that belongs to the page. */
  readonly last_key: string | null;
  readonly last_id: string | null;
  /** Of the whole filtered list, at most TOTAL_MAX_ITEMS + 1; null when the list gives no total. */
  readonly total: number | null;
}

/** A line break never stands raw inside JSON, so this text parts docs exactly. */
export const DOC_SEPARATOR = ',\n';

export interface Statement {
  /** Of the prepared statement; undefined: it is planned each time. */
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/** Equal columns of a statement that is prepared. With more, or with comparisons, there are too many shapes to keep. */
const PREPARED_COLUMNS_MAX = 2;

/** The number of the first condition's parameter: workspace and limit come ahead of it. */
const FIRST_CONDITION = 3;

const texts = new Map<string, Pick<Statement, 'name' | 'text'>>();

/** Builds the page's statement; those of few conditions are prepared, so that a connection keeps a bounded number. */
export function keysetStatement(read: KeysetRead): Statement {
  const { list, sort, position, compared = [] } = read;
  const columns = Object.keys(read.equal);
  const ascending = (sort.order === 'ascending') === (read.direction === 'forward');
  // The gap's own item is on our way when we travel from its far side: then the comparison includes it.
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
  let statement = texts.get(shape);
  if (statement === undefined) {
    const text = statementText(list, conditions, sort, ascending ? 'asc' : 'desc', comparison);
    const prepared = compared.length === 0 && columns.length <= PREPARED_COLUMNS_MAX;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    statement = { name: prepared ? `page_${hash}` : undefined, text };
    texts.set(shape, statement);
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
 * Identifiers come from the declarations, never from a request; values are always parameters. The order is total
 * (it ends in the id) and the row comparison has exactly the columns of an index, so a page reads limit + 1 index
 * rows wherever it lies. The aggregates take the rows in the subquery's order.
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
