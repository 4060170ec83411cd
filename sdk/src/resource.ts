import {
  CONTRACT,
  type Contract,
  type CREATED,
  type Field,
  type ORDERS,
  type RangeNames,
  type ResourceContract,
  rangesOf,
  type Simplify,
  type Wire,
} from './contract/index.ts';
import type { AuditLogEntry, Change } from './wire.ts';

/** Kind of a field's value in the JSON. */
export type FieldKind = 'text' | 'integer' | 'time';

type Write = 'create' | 'update' | 'delete';

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
  /** Query parameters that filter the list: an id, a text, or one of a fixed set of values. */
  readonly filters: Readonly<Record<string, 'id' | 'text' | readonly string[]>>;
  /** Query parameters that limit the field that the list is sorted by, and the sort that each needs. Absent: none. */
  readonly ranges?: Readonly<Record<string, { readonly kind: 'integer' | 'time'; readonly sort: string }>>;
  /**
   * Whether the list has the parameter `q`, which searches it.
   * @default false
   */
  readonly searched?: boolean;
  /**
   * Whether `GET {path}/count` exists.
   * @default false
   */
  readonly counted?: boolean;
  /**
   * Whether the list has durable positions.
   * @default false
   */
  readonly positions?: boolean;
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

/** Connects a resource to the type of its records. It has no value at run time. */
interface Of<Item> {
  readonly item?: Item;
}

type KindOf<F> = F extends { readonly kind: infer Kind extends 'integer' | 'time' } ? Kind : 'text';
type FilterOf<F> = F extends { readonly values: infer Values }
  ? Values
  : F extends { readonly kind: 'text' }
    ? 'text'
    : 'id';
type Kept = 'name' | 'singular' | 'sorts' | 'counted' | 'positions' | 'writes' | 'server' | 'optional';

type RangesOf<R> = [RangeNames<R>] extends [never]
  ? unknown
  : {
      readonly ranges: {
        readonly [Name in RangeNames<R>]: { readonly kind: 'integer' | 'time'; readonly sort: string };
      };
    };
type SearchedOf<R> = R extends { readonly searched: object } ? { readonly searched: true } : unknown;

type ItemOf<R> = R extends { readonly positions: true }
  ? Change
  : R extends Contract['auditLog']
    ? AuditLogEntry
    : Wire<R>;

/** The entry in {@link RESOURCES} for a resource of the contract. */
type ResourceOf<R> = R extends { readonly fields: infer F; readonly filters: infer Q }
  ? Simplify<
      Pick<R, Kept & keyof R> & {
        readonly fields: { readonly [Name in keyof F]: KindOf<F[Name]> };
        readonly filters: { readonly [Name in keyof Q]: FilterOf<Q[Name]> };
      } & RangesOf<R> &
        SearchedOf<R> &
        Of<ItemOf<R>>
    >
  : never;

function resourceOf(contract: ResourceContract): Resource {
  const { name, singular, fields, sorts, filters, searched, counted, positions } = contract;
  const { writes, server, optional } = contract;
  const ranges = rangesOf(contract);
  const kindOf = ({ kind }: Field): FieldKind => (kind === 'integer' || kind === 'time' ? kind : 'text');
  return {
    name,
    singular,
    fields: mapped(fields, kindOf),
    filters: mapped(filters, (filter) =>
      'values' in filter ? filter.values : filter.kind === 'text' ? 'text' : 'id',
    ),
    ...(positions === true
      ? {}
      : { ranges: mapped(ranges, ({ field, sort }) => ({ kind: field.kind, sort })) }),
    ...(searched === undefined ? {} : { searched: true }),
    ...(sorts === undefined ? {} : { sorts }),
    ...(counted === undefined ? {} : { counted }),
    ...(positions === undefined ? {} : { positions }),
    ...(writes === undefined ? {} : { writes }),
    ...(server === undefined ? {} : { server }),
    ...(optional === undefined ? {} : { optional }),
  };
}

const mapped = <A, B>(values: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

export type Resources = { readonly [Name in keyof Contract]: ResourceOf<Contract[Name]> };

/**
 * Every resource of the API, by its property name in the client. The methods, types, commands, help and completion derive
 * from this table, which derives from the contract.
 */
export const RESOURCES = mapped(CONTRACT, resourceOf) as unknown as Resources;

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The record type of a resource. */
export type Item<R> = R extends Of<infer I> ? I : never;

/** The values of a list's `sort` parameter. */
export type Sort<R> = R extends { readonly sorts: infer S }
  ? `${typeof CREATED | (keyof S & string)}-${(typeof ORDERS)[number]}`
  : never;

/** The names of the fields of a resource. */
export type FieldName<R> = R extends { readonly fields: infer F } ? keyof F & string : never;

/** A record with only these fields, and with its id. */
export type Selected<T, Name> = T extends unknown ? Simplify<Pick<T, Extract<keyof T, Name | 'id'>>> : never;

type FilterValue<F> = F extends readonly (infer V)[] ? V : string;

/** The ranges of a list, each optional: numbers for integers, ISO 8601 texts for times. */
type RangeValues<R> = R extends { readonly ranges: infer Q }
  ? { readonly [Name in keyof Q]?: (Name extends `${string}${'Min' | 'Max'}` ? number : string) | undefined }
  : unknown;

/** The search of a list. */
type SearchValue<R> = R extends { readonly searched: true }
  ? {
      /** Only records in which each word of this text begins a word, in upper or lower case. */
      readonly q?: string | undefined;
    }
  : unknown;

/** What a list can be asked for in addition to its filters. */
export type Queries<R> = RangeValues<R> & SearchValue<R>;

/** The filters of a list, each optional. */
export type Filters<R> = R extends { readonly filters: infer F }
  ? { readonly [K in keyof F]?: FilterValue<F[K]> | undefined }
  : never;

/** What an export and a tail can be asked for. */
export type Selectors<R> = Filters<R> & SearchValue<R>;

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
