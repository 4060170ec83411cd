import pg from 'pg';
import type { ListDefinition } from './definition.ts';

// SQL for lists whose indexes have short keys (docs/decisions/0021).

/** A column that equals a parameter. */
export interface FixedColumn {
  readonly column: string;
  readonly parameter: string;
}

/** Short keys have one fixed column, the company. */
export const shortKeyOf = ({ parameter }: FixedColumn): FixedColumn => ({
  column: 'company_key',
  parameter: `company_key($1, ${parameter})`,
});

/** The begin of the index of the whole workspace; or that the company is not another one with the same key. */
export const shortKeyConditions = (equal: readonly FixedColumn[]): readonly string[] =>
  equal.length === 0 ? [WORKSPACE_KEY] : equal.map((each) => `${each.column} = ${each.parameter}`);

/** SQL for the first column of indexes with short keys. */
export const WORKSPACE_KEY = 'hashtextextended(workspace_id, 0) = hashtextextended($1, 0)';

/** The column at the end of each order: it sorts like the id. */
export const idOrderOf = ({ shortKeys }: ListDefinition): string => (shortKeys ? 'id_order' : 'id');

/** With short keys, the first and the last row of a page as records. PostgreSQL collects one value per row, not three. */
export interface PageEnds {
  readonly first: PageEnd | null;
  readonly last: PageEnd | null;
}

/** Sort key, id and `id_order`, as row_to_json names them. `id_order` is written as the session's `bytea_output` says. */
export interface PageEnd {
  readonly f1: string | number;
  readonly f2: string;
  readonly f3: string;
}

export const valuesOf = (end: PageEnd | null) =>
  end === null
    ? ([null, null, null] as const)
    : ([String(end.f1), end.f2, bytesOf(end.f3).toString('hex')] as const);

/** Encoding these two values here takes less time than encoding one of each row in the statement. */
const bytesOf: (text: string) => Buffer = pg.types.getTypeParser(pg.types.builtins.BYTEA);
