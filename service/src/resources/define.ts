import {
  type CompleteResource,
  completeResource,
  type ResourceContract,
  rangesOf,
  SEARCH,
} from '@svc/sdk/contract';
import type { IdPrefix } from '../config/ids.ts';
import type { ListDefinition, SortColumn } from '../list/definition.ts';
import { equalityFilter, rangeFilter, searchedTexts, searchFilter } from './filters.ts';

/** A resource of the contract with what the service derives from it. */
export interface Resource extends CompleteResource {
  readonly idPrefix: IdPrefix;
  readonly list: ListDefinition;
}

const CREATED: SortColumn = { column: 'created_at', type: 'timestamptz' };

/** Tables with short keys instead of ids in their indexes. */
const SHORT_KEYS: readonly string[] = ['audits'];

/** What a list reads instead of the table with the resource's name, and its indexed columns. */
export type ListView = Pick<ListDefinition, 'relation' | 'source' | 'read'> &
  Partial<Pick<ListDefinition, 'indexed'>>;

/** Completes a resource of the contract. `view`: default is the table with the resource's name, all filters indexed. */
export function resourceOf(
  contract: ResourceContract & { readonly idPrefix: IdPrefix },
  view?: ListView,
): Resource {
  const { name, company, fields, sorts = {}, filters, indexes, unindexed, searched, total } = contract;
  const companyColumn = company === null ? null : columnName(company);
  const filtered = new Set([
    ...(companyColumn === null ? [] : [companyColumn]),
    ...Object.keys(filters).map(columnName),
  ]);
  const sortColumn = (field: string): SortColumn => ({
    column: columnName(field),
    type: fields[field]?.kind === 'time' ? 'timestamptz' : 'smallint',
  });
  const sortColumns = { created: CREATED, ...mapped(sorts, sortColumn) };
  return Object.freeze({
    ...completeResource(contract),
    idPrefix: contract.idPrefix,
    list: {
      name,
      relation: view?.relation ?? name,
      companyColumn,
      indexed: view?.indexed ?? [...filtered],
      ...(unindexed === undefined ? {} : { unindexed: columnValues(unindexed) }),
      ...(indexes === undefined ? {} : { indexes: columnSets(indexes, sortColumns) }),
      shortKeys: SHORT_KEYS.includes(name),
      sorts: sortColumns,
      sortable: contract.sorts !== undefined,
      filters: {
        ...mapped(filters, (field, filter) => equalityFilter(field, columnName(filter))),
        ...mapped(rangesOf(contract), (range) => rangeFilter(range, columnName(range.fieldName))),
        ...(searched === undefined ? {} : { [SEARCH]: searchFilter }),
      },
      fields: Object.keys(fields),
      ...(searched === undefined ? {} : { searched: searchedTexts(searched.map(columnName)) }),
      total: total === true,
      ...(view?.source === undefined ? {} : { source: view.source }),
      ...(view?.read === undefined ? {} : { read: view.read }),
      ...(contract.positions === true ? { parameters: ['after', 'wait'] } : {}),
    },
  });
}

const mapped = <A, B>(
  values: Readonly<Record<string, A>>,
  map: (value: A, name: string) => B,
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

/** Values by filter, as values by column. */
const columnValues = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [columnName(name), value]));

/** The sets of filters that have an index, as columns. */
const columnSets = (
  indexes: NonNullable<ResourceContract['indexes']>,
  sorts: Readonly<Record<string, SortColumn>>,
): NonNullable<ListDefinition['indexes']> =>
  Object.fromEntries(
    Object.entries(indexes).map(([sort, sets]) => [
      sorts[sort]?.column ?? sort,
      sets.map((set) => set.map(columnName)),
    ]),
  );

/** `headlineScore` → `headline_score`. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
