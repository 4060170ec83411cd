import { ORDERS, type Order } from '@svc/sdk/contract';

/**
 * What the list machinery needs to know of a list. This folder knows no resource: resources/ declares them.
 */

/** PostgreSQL types that a list can be sorted by; a cursor carries such a value as text. */
type SortType = 'timestamptz' | 'smallint';

/** `^@`: begins with. */
export interface Comparison {
  readonly operator: '>=' | '<=' | '<' | '^@';
  readonly type: SortType | 'text';
}

export interface SortColumn {
  readonly column: string;
  readonly type: SortType;
}

export interface Filter {
  readonly column: string;
  /** How the column is compared with the value, and as what. Default: they are equal. */
  readonly comparison?: Comparison;
  /** The value in the canonical form that PostgreSQL gets; undefined when the filter cannot have it. */
  readonly parse: (text: string) => string | undefined;
  /** What is allowed, for people, such as `one of draft, published`. */
  readonly allowed: string;
}

/** A filter's `parse` for texts that are canonical as they are. */
export const textThat =
  (accepts: (text: string) => boolean): Filter['parse'] =>
  (text) =>
    accepts(text) ? text : undefined;

/** One list, declared once, immutable. */
export interface ListDefinition {
  /** Also the last segment of the path, and part of what binds a cursor. */
  readonly name: string;
  /** The table or view that is read; it has workspace_id, id, doc and every column named here. */
  readonly relation: string;
  /** The column that holds a record's company; null: keys that are limited to a company may not read this list. */
  readonly companyColumn: string | null;
  /** Sort fields by their name in `sort` (`created`, `score`); the first one is the default. */
  readonly sorts: Readonly<Record<string, SortColumn>>;
  /** Whether the `sort` parameter is accepted. */
  readonly sortable: boolean;
  readonly filters: Readonly<Record<string, Filter>>;
  /** Whether `pagination.total` is given up to TOTAL_MAX_ITEMS. */
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
