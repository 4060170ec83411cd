import type { Position } from '@svc/deployment-secrets/cursors';
import { type Direction, FIELDS, ORDERS, type Order } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';

/** What this folder needs to know of a list. It knows no resource: resources/ defines them. */

/** PostgreSQL types that a list can be sorted by. A cursor carries such a value as text. */
type SortType = 'timestamptz' | 'smallint';

/** `^@` means: begins with. `search`: the record has all words of the value (list/word-search.ts). */
export interface Comparison {
  readonly operator: '=' | '>=' | '<=' | '<' | '^@' | 'search';
  readonly type: SortType | 'text';
}

/** The texts of a record that a search reads, as SQL. */
export interface SearchedTexts {
  readonly title: string;
  /** A URL, or a host after two slashes. */
  readonly url: string;
}

export interface SortColumn {
  readonly column: string;
  readonly type: SortType;
}

export interface Filter {
  readonly column: string;
  /** How the column is compared with the value. Default: they must be equal. */
  readonly comparison?: Comparison;
  /** The value in the canonical form that PostgreSQL gets. Undefined: the filter does not allow it. */
  readonly parse: (text: string) => string | undefined;
  /** What is allowed, for error messages: `one of draft, published`. */
  readonly allowed: string;
}

/** The `parse` of a filter whose texts are canonical already. */
export const textThat =
  (accepts: (text: string) => boolean): Filter['parse'] =>
  (text) =>
    accepts(text) ? text : undefined;

/** The immutable definition of a list. */
export interface ListDefinition {
  /** The last segment of the path. Cursors are bound to it. */
  readonly name: string;
  /** The table or view that is read. It has workspace_id, id, doc and every column that the definition names. */
  readonly relation: string;
  /** What lists read instead of the relation, with the same columns. `$1` is the workspace. Default: the relation. */
  readonly source?: string;
  /** The column that holds the company of a record. Null: keys that are limited to a company cannot read the list. */
  readonly companyColumn: string | null;
  /**
   * The filter columns that indexes have between the workspace and the sort column, in the order of the indexes. Other
   * columns are compared row by row.
   */
  readonly indexed: readonly string[];
  /** Values that the indexes of an indexed column leave out, by column. They are compared row by row. Default: none. */
  readonly unindexed?: Readonly<Record<string, string>>;
  /** The subsets of `indexed` that have an index, by sort column. Default: each subset has one, with each sort column. */
  readonly indexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Whether the indexes have the short keys `company_key` and `id_order` instead of the ids (docs/decisions/0021). */
  readonly shortKeys: boolean;
  /** Sort columns by their name in `sort` (`created`, `score`). The first one is the default. */
  readonly sorts: Readonly<Record<string, SortColumn>>;
  /** Whether the `sort` parameter is accepted. */
  readonly sortable: boolean;
  readonly filters: Readonly<Record<string, Filter>>;
  /** The fields that the parameter `fields` can choose. Default: the list has no such parameter. */
  readonly fields?: readonly string[];
  /** Undefined: the list cannot be searched. */
  readonly searched?: SearchedTexts;
  /** Whether a page has `pagination.total`, up to TOTAL_MAX_ITEMS. */
  readonly total: boolean;
  /** Parameters that only its route knows. Default: none. */
  readonly parameters?: readonly string[];
  /** Reads a page of a relation that does not have a row for each item. Default: one statement, by list/keyset.ts. */
  readonly read?: (connections: Queryable, read: KeysetRead) => Promise<KeysetRow>;
}

/** A value of `sort`: field and order, such as `created-descending`. */
export interface Sort {
  readonly name: string;
  readonly column: SortColumn;
  readonly order: Order;
}

/** JSON text never contains a raw line break, so this text separates docs exactly. */
export const DOC_SEPARATOR = ',\n';

/** What the statement of a page reads. */
export interface KeysetRead {
  readonly list: ListDefinition;
  readonly workspaceId: string;
  /** Columns of an index that must equal a value, in the order of `list.indexed`: filters, and the company of the key. */
  readonly equal: Readonly<Record<string, string>>;
  /**
   * Other columns that are compared with a value. Those of the sort column limit the range that is read. With others, at
   * most SEARCHED_ROWS_MAX rows of the range are read.
   */
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
  /** The docs of up to limit + 1 rows, joined by a comma and a line break. Null: there are no rows. */
  readonly docs: string | null;
  readonly rows: number;
  readonly first_key: string | null;
  readonly first_id: string | null;
  /** Undefined: the table has no column `id_order`. */
  readonly first_order?: string | null;
  /** Sort key and id of the last row that belongs to the page. */
  readonly last_key: string | null;
  readonly last_id: string | null;
  readonly last_order?: string | null;
  /** Items of the whole filtered list, at most TOTAL_MAX_ITEMS + 1. Null: the list has no total, or it is not known. */
  readonly total: number | null;
  /** Sort key and id of the last row that was read, if rows are compared one by one and fewer than limit + 1 are found. */
  readonly searched_key?: string | null;
  readonly searched_id?: string | null;
  /** Sort key and id of the first row that was read then. */
  readonly began_key?: string | null;
  readonly began_id?: string | null;
  /** Whether as many rows were read as may be, so that there can be more. Null: none. */
  readonly stopped?: boolean | null;
  /** `pagination.position`. Undefined: the list has none. */
  readonly position?: string;
}

/** A page without cursors: its items in the order of the list, and the gaps at its two ends. */
export interface Page {
  /** JSON array of the items, one per line. */
  readonly data: string;
  readonly hasMore: boolean;
  /** Null: the page is empty, and its request had no cursor. */
  readonly start: Position | null;
  readonly end: Position | null;
  readonly total: number | undefined;
  /** Time of the last row that was read, if the page ended because it may not read more rows. */
  readonly searchedTo: string | undefined;
  /** Undefined: the list has none. */
  readonly position: string | undefined;
}

/** All sorts of a list by their name in the `sort` parameter, the default (created-descending) first. */
export const sortsOf = (list: ListDefinition): readonly Sort[] =>
  Object.entries(list.sorts).flatMap(([field, column]) =>
    ORDERS.map((order) => ({ name: `${field}-${order}`, column, order })),
  );

/** Names of the query parameters that a list accepts. */
export const parametersOf = (list: ListDefinition): readonly string[] => [
  'cursor',
  'limit',
  'direction',
  ...(list.sortable ? ['sort'] : []),
  ...Object.keys(list.filters),
  ...(list.fields === undefined ? [] : [FIELDS]),
  ...(list.parameters ?? []),
];
