/**
 * How a resource is declared in this package, and the types of the client that follow from a declaration.
 */

/** Kind of a field's value on the wire. */
export type FieldKind = 'text' | 'integer' | 'time';

export type Write = 'create' | 'update' | 'delete';

/** What this package knows of a resource. */
export interface Resource {
  /** Last segment of the path, plural: `api-keys`. */
  readonly name: string;
  /** For people: `API key`. */
  readonly singular: string;
  /** Every field of the wire type, in the order of the JSON. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Sorts beside `created`, each with the field that it sorts by. Absent: the list takes no `sort`. */
  readonly sorts?: Readonly<Record<string, string>>;
  /** Query parameters that filter: an id, or one of a closed set of texts. */
  readonly filters: Readonly<Record<string, 'id' | readonly string[]>>;
  /** Whether `GET {path}/count` is there. Default false. */
  readonly counted?: boolean;
  /** What a key with write access may do. Default: nothing. */
  readonly writes?: readonly Write[];
  /** Fields that the service sets: no writer may. */
  readonly server?: readonly string[];
  /** Fields that a writer may leave out, beside `id`. */
  readonly optional?: readonly string[];
}

/** A resource of the wire type `Item`: its field names are those of the type. */
interface Definition<Item> extends Resource {
  readonly fields: { readonly [K in keyof Required<Item>]: FieldKind };
  readonly sorts?: Readonly<Record<string, keyof Item & string>>;
  readonly server?: readonly (keyof Item & string)[];
  readonly optional?: readonly (keyof Item & string)[];
}

/** Ties a definition to its wire type; nothing at run time. */
export interface Of<Item> {
  readonly item?: Item;
}

/** Declares a resource: `defineResource<Audit>()({ … })`. The compiler refuses a missing or unknown field. */
export const defineResource =
  <Item extends { readonly id: string }>() =>
  <const D extends Definition<Item>>(definition: D): D & Of<Item> =>
    definition;

/** The name of the order that every list has, newest first unless `sort` says otherwise. */
export const CREATED = 'created';
export const ORDERS = ['descending', 'ascending'] as const;

/** All values of a list's `sort`, the default first; empty when it takes none. */
export const sortsOf = ({ sorts }: Resource): readonly string[] =>
  sorts === undefined
    ? []
    : [CREATED, ...Object.keys(sorts)].flatMap((name) => ORDERS.map((order) => `${name}-${order}`));

type Simplify<T> = { [K in keyof T]: T[K] } & {};
type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The record that a resource's list holds. */
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

/** What creates a record: the service sets the rest. An `id` of your own is accepted. */
export type NewItem<R> = Simplify<
  Omit<Item<R>, Named<R, 'server'> | Named<R, 'optional'> | 'id'> &
    Loose<Pick<Item<R>, (Named<R, 'optional'> | 'id') & keyof Item<R>>>
>;

/** What changes a record, by JSON merge patch (RFC 7396): the fields that are given. */
export type ItemChange<R> = Simplify<Loose<Omit<Item<R>, Named<R, 'server'> | 'id'>>>;
