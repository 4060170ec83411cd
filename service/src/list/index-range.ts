import type { Compared, KeysetRead, ListDefinition } from './definition.ts';
import { type FixedColumn, idOrderOf, shortKeyConditions, shortKeyOf } from './short-keys.ts';
import { searchCondition } from './word-search.ts';

/** The range of an index that a read asks for, as SQL with parameters. */
export interface IndexRange {
  readonly values: (string | number)[];
  readonly equal: readonly FixedColumn[];
  /** The first columns of the index. */
  readonly fixed: readonly FixedColumn[];
  /** Conditions on the sort column. */
  readonly ranges: readonly Compared[];
  /** Conditions that are compared row by row. */
  readonly filters: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly where: string;
  readonly until: string | undefined;
  /** A condition, whose value becomes a parameter. */
  readonly condition: (compared: Compared) => string;
}

export function indexRangeOf(read: KeysetRead): IndexRange {
  const { list, sort, compared = [] } = read;
  const values: (string | number)[] = [read.workspaceId, read.limit];
  const parameter = (value: string): string => `$${values.push(value)}`;
  const equal = Object.entries(read.equal).map(([column, value]) => ({
    column,
    parameter: parameter(value),
  }));
  const fixed = list.shortKeys ? equal.map(shortKeyOf) : equal;
  const condition = ({ column, operator, type, value }: Compared): string =>
    operator === 'search' && list.searched !== undefined
      ? searchCondition(list.searched, `${parameter(value)}::text`)
      : `${column} ${operator} ${parameter(value)}::${type}`;
  const ranges = compared.filter(({ column }) => column === sort.column.column);
  const filters = compared.filter((each) => !ranges.includes(each)).map(condition);
  const ascending = (sort.order === 'ascending') === (read.direction === 'forward');
  const { bounds, until } = rangeOf(read, fixed, ascending, parameter);
  const conditions = list.shortKeys ? shortKeyConditions(equal) : partialConditions(list, equal);
  const where = ['workspace_id = $1', ...conditions, ...bounds].join(' and ');
  return {
    values,
    equal,
    fixed,
    ranges,
    filters,
    order: ascending ? 'asc' : 'desc',
    where,
    until,
    condition,
  };
}

/** The conditions of partial indexes. PostgreSQL does not derive them from the value of a parameter. */
const partialConditions = (
  { unindexed = {} }: ListDefinition,
  equal: readonly FixedColumn[],
): readonly string[] =>
  equal.flatMap(({ column }) => (column in unindexed ? [`${column} <> '${unindexed[column]}'`] : []));

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
  const boundAt = (end: '>' | '<'): { readonly sql: string; readonly columns: number } | undefined => {
    const bound = fixed.map((each) => each.parameter);
    const columns = fixed.map((each) => each.column);
    if (position !== undefined && ascending === (end === '>')) {
      // When the read crosses the item next to the gap, include the item in the comparison.
      const inclusive = (position.side === 'before') === (direction === 'forward');
      bound.push(`${parameter(position.key)}::${type}`);
      // If the item was the newest one and is deleted, a later item may have its order, so the id decides.
      if (list.shortKeys) bound.push(`decode(${parameter(position.order ?? '')}, 'hex')`);
      bound.push(parameter(position.id));
      const key = [...columns, column, ...(list.shortKeys ? ['id_order'] : []), 'id'];
      return compare(key, `${end}${inclusive ? '=' : ''}`, bound);
    }
    const limit = compared.find((each) => each.column === column && each.operator.startsWith(end));
    if (limit !== undefined) {
      bound.push(`${parameter(limit.value)}::${limit.type}`);
      return compare([...columns, column], limit.operator, bound);
    }
    return columns.length === 0 ? undefined : compare(columns, `${end}=`, bound);
  };
  const [near, far] = ascending ? (['>', '<'] as const) : (['<', '>'] as const);
  const starts = boundAt(near);
  const ends = boundAt(far);
  const [first] = fixed;
  const isOne = ends === undefined || ends.columns === 1;
  const limit = isOne || first === undefined ? ends?.sql : `${first.column} ${far}= ${first.parameter}`;
  return {
    bounds: [starts?.sql, limit].filter((each) => each !== undefined),
    until: isOne ? undefined : ends.sql,
  };
}

const compare = (columns: readonly string[], operator: string, bound: readonly string[]) => ({
  sql: `${rowOf(columns)} ${operator} ${rowOf(bound)}`,
  columns: columns.length,
});

const rowOf = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join() : `(${parts.join(', ')})`;

/** What the list is read from. */
export const sourceOf = ({ source, relation }: ListDefinition): string => source ?? relation;

/**
 * The rows of a range in its order, which is total, and which only one index has. `place`: what each row has besides its
 * doc, its sort key and its id.
 */
export function rowsOf(
  { list, sort }: KeysetRead,
  { fixed, order, where, until }: IndexRange,
  doc: string,
  limit: string,
  place: readonly string[] = list.shortKeys ? [`(${sort.column.column}, id, id_order) as place`] : [],
): string {
  const { column } = sort.column;
  const columns = fixed.map((each) => each.column);
  const orders = [...columns, column, idOrderOf(list)].map((each) => `${each} ${order}`).join(', ');
  const keys = until === undefined ? [] : columns.filter((each) => each !== 'id');
  const rows = `select ${[doc, column, 'id', ...place, ...keys].join(', ')} from ${sourceOf(list)}
  where ${where}
  order by ${orders}
  limit ${limit}`;
  return until === undefined ? rows : `select * from (${rows}) ranged where ${until}`;
}
