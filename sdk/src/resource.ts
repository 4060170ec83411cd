/**
 * The declaration of a resource in this package, and the client types that are derived from it.
 */

/** Kind of a field's value in the JSON. */
export type FieldKind = 'text' | 'integer' | 'time';

export type Write = 'create' | 'update' | 'delete';

/** What this package knows about a resource. */
export interface Resource {
  /** Last segment of the path, in the plural: `api-keys`. */
  readonly name: string;
  /** Name for people, in the singular: `API key`. */
  readonly singular: string;
  /** Every field of the wire type, in the order of the JSON. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /**
   * Sorts in addition to `created`, each with the field that it sorts by. Absent: the list has no `sort` parameter.
   */
  readonly sorts?: Readonly<Record<string, string>>;
  /** Query parameters that filter the list: an id, or one of a fixed set of values. */
  readonly filters: Readonly<Record<string, 'id' | readonly string[]>>;
  /**
   * Whether `GET {path}/count` exists.
   * @default false
   */
  readonly counted?: boolean;
  /**
   * What a key with write access may do.
   * @default []
   */
  readonly writes?: readonly Write[];
  /** Fields that only the service sets. */
  readonly server?: readonly string[];
  /** Fields that may be left out on creation, in addition to `id`. */
  readonly optional?: readonly string[];
}

/** The declaration of a resource whose wire type is `Item`. Its field names are those of `Item`. */
interface Definition<Item> extends Resource {
  readonly fields: { readonly [K in keyof Required<Item>]: FieldKind };
  readonly sorts?: Readonly<Record<string, keyof Item & string>>;
  readonly server?: readonly (keyof Item & string)[];
  readonly optional?: readonly (keyof Item & string)[];
}

/** Connects a declaration to its wire type. It has no value at run time. */
export interface Of<Item> {
  readonly item?: Item;
}

/** Declares a resource: `defineResource<Audit>()({ … })`. The compiler reports missing and unknown fields. */
export const defineResource =
  <Item extends { readonly id: string }>() =>
  <const D extends Definition<Item>>(definition: D): D & Of<Item> =>
    definition;

/** The name of the sort that every list has. The default order is newest first. */
export const CREATED = 'created';
export const ORDERS = ['descending', 'ascending'] as const;

/** All values of a list's `sort` parameter, the default first; empty if the list has no such parameter. */
export const sortsOf = ({ sorts }: Resource): readonly string[] =>
  sorts === undefined
    ? []
    : [CREATED, ...Object.keys(sorts)].flatMap((name) => ORDERS.map((order) => `${name}-${order}`));

type Simplify<T> = { [K in keyof T]: T[K] } & {};
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The record type of a resource. */
export type Item<R> = R extends Of<infer I> ? I : never;

/** The values of a list's `sort` parameter. */
export type Sort<R> = R extends { readonly sorts: infer S }
  ? `${typeof CREATED | (keyof S & string)}-${(typeof ORDERS)[number]}`
  : never;

type FilterValue<F> = F extends readonly (infer V)[] ? V : string;

/** The filters of a list, each optional. */
export type Filters<R> = R extends { readonly filters: infer F }
  ? { readonly [K in keyof F]?: FilterValue<F[K]> | undefined }
  : never;

type Named<R, K extends 'server' | 'optional'> = R extends { readonly [P in K]: readonly (infer F)[] }
  ? F & string
  : never;

/**
 * The input that creates a record. The service sets the other fields. An `id` is optional: without it, the service
 * creates one.
 */
export type NewItem<R> = Simplify<
  Omit<Item<R>, Named<R, 'server'> | Named<R, 'optional'> | 'id'> &
    Loose<Pick<Item<R>, (Named<R, 'optional'> | 'id') & keyof Item<R>>>
>;

/** The input that changes a record: only the fields to change (JSON merge patch, RFC 7396). */
export type ItemChange<R> = Simplify<Loose<Omit<Item<R>, Named<R, 'server'> | 'id'>>>;
