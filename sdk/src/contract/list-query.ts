import type { Field, Fields, IntegerField, TimeField } from './field.ts';
import { SEARCH_MAX_CHARACTERS } from './limits.ts';
import { CREATED, createdAt, ORDERS, type ResourceContract } from './resource.ts';

/** What can be asked of a list, derived from its resource: ranges, the search, and the indexes that serve its filters. */

/** A query parameter that limits the field that the list is sorted by. */
export interface RangeFilter {
  /** The sort that it needs, without the order: `score`. */
  readonly sort: string;
  /** The field that is compared. */
  readonly fieldName: string;
  readonly field: IntegerField | TimeField;
  /** How the field is compared with the value. Times: `>=` and `<`, so that adjacent ranges do not overlap. */
  readonly operator: '>=' | '<=' | '<';
}

type Listed = Pick<ResourceContract, 'fields' | 'sorts' | 'positions'>;

/**
 * The ranges of a list by their names: `createdAfter` and `createdBefore`, and two for each of its sorts, such as
 * `headlineScoreMin` and `headlineScoreMax`. A feed with positions has none.
 */
export function rangesOf({ fields, sorts = {}, positions }: Listed): Readonly<Record<string, RangeFilter>> {
  if (positions === true) return {};
  const all = { [CREATED]: 'createdAt', ...sorts };
  return Object.fromEntries(
    Object.entries(all).flatMap(([sort, fieldName]): readonly (readonly [string, RangeFilter])[] => {
      const field = fields[fieldName] ?? createdAt;
      if (field.kind === 'integer') {
        return [
          [`${fieldName}Min`, { sort, fieldName, field, operator: '>=' }],
          [`${fieldName}Max`, { sort, fieldName, field, operator: '<=' }],
        ];
      }
      if (field.kind !== 'time') throw new Error(`A list cannot be sorted by ${fieldName}, a ${field.kind}.`);
      const name = fieldName.replace(/At$/, '');
      return [
        [`${name}After`, { sort, fieldName, field, operator: '>=' }],
        [`${name}Before`, { sort, fieldName, field, operator: '<' }],
      ];
    }),
  );
}

type RangeName<FieldName> = FieldName extends `${infer Name}At`
  ? `${Name}After` | `${Name}Before`
  : `${FieldName & string}Min` | `${FieldName & string}Max`;
type SortFields<R> = R extends { readonly sorts: infer S } ? S[keyof S] : never;

/** The names of the ranges of a resource of the contract, as {@link rangesOf} derives them. */
export type RangeNames<R> = R extends { readonly positions: true }
  ? never
  : RangeName<'createdAt' | SortFields<R>>;

/** The query parameter that searches a list. */
export const SEARCH = 'q';

/** The parameter `q`, as a field. */
export const searchField = {
  kind: 'text',
  max: SEARCH_MAX_CHARACTERS,
  description: 'Words that begin words of the record, in upper or lower case.',
  example: 'acme',
} as const satisfies Field;

/** The query parameter that chooses the fields of each item: names with a comma between them. */
export const FIELDS = 'fields';

/** The filters of a list by equality and, if it can be searched, `q`. */
export const comparedFields = ({
  filters,
  searched,
}: Pick<ResourceContract, 'filters' | 'searched'>): Fields =>
  searched === undefined ? filters : { ...filters, [SEARCH]: searchField };

/** The values of `sort` with which a range can be used. */
export const sortsOfRange = ({ sort }: Pick<RangeFilter, 'sort'>): readonly string[] =>
  ORDERS.map((order) => `${sort}-${order}`);

/** How a list serves a set of filters. */
export interface ServedFilters {
  /** The filters that an index serves together. */
  readonly indexed: readonly string[];
  /**
   * The other filters: they are compared row by row. If there are any, a page may have fewer records than its limit, even
   * none, while `hasMore` is true. So may pages of a value that is `unindexed`.
   */
  readonly compared: readonly string[];
}

/**
 * How a list serves these filters together. `sort`: the name without the order. An index serves the first of the largest
 * declared sets that the filters contain.
 */
export function servedFilters(
  { filters, indexes }: Pick<ResourceContract, 'filters' | 'indexes'>,
  sort: string,
  wanted: readonly string[],
): ServedFilters {
  const sets = indexes?.[sort];
  const named = Object.keys(filters).filter((name) => wanted.includes(name));
  const indexed = sets === undefined ? named : largestSet(sets, named);
  return { indexed, compared: wanted.filter((name) => !indexed.includes(name)) };
}

/** The first of the largest sets whose members are all wanted; none: the empty set. */
export const largestSet = (
  sets: readonly (readonly string[])[],
  wanted: readonly string[],
): readonly string[] =>
  sets
    .filter((set) => set.every((name) => wanted.includes(name)))
    .reduce<readonly string[]>((best, set) => (set.length > best.length ? set : best), []);

/** The filters of a list that are compared row by row with one of its sorts, and `q`. */
export function comparedParameters(
  resource: Pick<ResourceContract, 'filters' | 'indexes' | 'searched' | 'sorts'>,
): readonly string[] {
  const sorts = [CREATED, ...Object.keys(resource.sorts ?? {})];
  const filters = Object.keys(resource.filters).filter((name) =>
    sorts.some((sort) => servedFilters(resource, sort, [name]).compared.length > 0),
  );
  return resource.searched === undefined ? filters : [...filters, SEARCH];
}
