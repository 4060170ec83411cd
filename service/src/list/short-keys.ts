import type { ListDefinition } from './definition.ts';

// SQL for lists whose indexes have short keys (docs/decisions/0021).

/** A column, or an expression with columns, that equals a parameter. */
export interface FixedColumn {
  readonly column: string;
  readonly parameter: string;
  /** The name of an expression. Undefined: it is a column. */
  readonly name?: string;
}

/** What an index has instead of a column: the number of a company or of a text, or the column itself. */
export function indexKeyOf(list: ListDefinition, { column, parameter }: FixedColumn): FixedColumn {
  if (list.shortKeys) return { column: 'company_key', parameter: `company_key($1, ${parameter})` };
  if (list.textKeys?.includes(column) !== true) return { column, parameter };
  return {
    column: `text_key(workspace_id, ${column})`,
    parameter: `text_key($1, ${parameter})`,
    name: `${column}_key`,
  };
}

/** The begin of the index of the whole workspace; or that a company or a text is not another one with the same key. */
export function shortKeyConditions(list: ListDefinition, equal: readonly FixedColumn[]): readonly string[] {
  if (list.shortKeys && equal.length === 0) return [WORKSPACE_KEY];
  return equal
    .filter(({ column }) => list.shortKeys || list.textKeys?.includes(column) === true)
    .map(({ column, parameter }) => `${column} = ${parameter}`);
}

/** SQL for the first column of indexes with short keys. */
export const WORKSPACE_KEY = 'hashtextextended(workspace_id, 0) = hashtextextended($1, 0)';

/** The column at the end of each order: it sorts like the id. */
export const idOrderOf = ({ shortKeys }: ListDefinition): string => (shortKeys ? 'id_order' : 'id');

/** With short keys, the first and the last row of a page as records. PostgreSQL collects one value per row, not three. */
export interface Places {
  readonly first: Place | null;
  readonly last: Place | null;
}

/** Sort key, id and `id_order`. row_to_json gives them these names. */
interface Place {
  readonly f1: string | number;
  readonly f2: string;
  readonly f3: string;
}

/** The sort key, the id and the `id_order`, hexadecimal. */
export const valuesOf = (place: Place | null) =>
  place === null
    ? ([null, null, null] as const)
    : ([String(place.f1), place.f2, place.f3.slice(HEXADECIMAL.length)] as const);

/** With this, the text of a bytea begins. */
const HEXADECIMAL = '\\x';
