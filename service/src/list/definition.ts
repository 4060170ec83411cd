import { ORDERS, type Order } from '@svc/sdk/contract';

/** What this folder needs to know of a list. It knows no resource: resources/ defines them. */

/** PostgreSQL types that a list can be sorted by. A cursor carries such a value as text. */
type SortType = 'timestamptz' | 'smallint';

/** `^@` means: begins with. */
export interface Comparison {
  readonly operator: '=' | '>=' | '<=' | '<' | '^@';
  readonly type: SortType | 'text';
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
  /** The column that holds the company of a record. Null: keys that are limited to a company cannot read the list. */
  readonly companyColumn: string | null;
  /**
   * The filter columns that indexes have between the workspace and the sort column, in the order of the indexes. There is an
   * index for each subset. Other columns are compared row by row.
   */
  readonly indexed: readonly string[];
  /** Whether the indexes have the short keys `company_key` and `id_order` instead of the ids (docs/decisions/0021). */
  readonly shortKeys: boolean;
  /** Sort columns by their name in `sort` (`created`, `score`). The first one is the default. */
  readonly sorts: Readonly<Record<string, SortColumn>>;
  /** Whether the `sort` parameter is accepted. */
  readonly sortable: boolean;
  readonly filters: Readonly<Record<string, Filter>>;
  /** Whether a page has `pagination.total`, up to TOTAL_MAX_ITEMS. Not for lists whose filters compare the sort column. */
  readonly total: boolean;
}

/** A value of `sort`: field and order, such as `created-descending`. */
export interface Sort {
  readonly name: string;
  readonly column: SortColumn;
  readonly order: Order;
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
];
