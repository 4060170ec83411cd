import {
  comparedFields,
  createdAt,
  type Order,
  type RangeFilter,
  rangesOf,
  sortsOf,
  sortsOfRange,
} from '@svc/sdk/contract';
import { DATA_RESOURCES, type ResourceContract, sortedField } from '../../resources/resources.ts';
import { oneOf } from '../../routes/search.ts';

/** The filters, the sort and the columns of a list in the URL, and which of its dialogs is open. */
export type DataSearch = Readonly<Record<string, string | undefined>>;

/** Creates a record, exports the list, or imports a file. */
export const LIST_DIALOGS = ['create', 'export', 'import'] as const;
export type ListDialog = (typeof LIST_DIALOGS)[number];

const SORT = 'sort';
/** Its value names the columns: `title,url`. */
export const COLUMNS = 'columns';
/** Every parameter of a list by which it is filtered. */
const filterNames = (resource: ResourceContract): readonly string[] => [
  ...Object.keys(comparedFields(resource)),
  ...Object.keys(rangesOf(resource)),
];
const NAMES = new Set([SORT, COLUMNS, ...DATA_RESOURCES.flatMap(filterNames)]);

/** Reads what is in the URL, for the list of any resource. The router reads `40` as a number. */
export const dataSearch = (search: Readonly<Record<string, unknown>>): DataSearch => ({
  ...Object.fromEntries(
    [...NAMES].map((name) => {
      const value = search[name];
      const given = (typeof value === 'string' && value !== '') || typeof value === 'number';
      return [name, given ? String(value) : undefined];
    }),
  ),
  dialog: oneOf(search['dialog'], LIST_DIALOGS),
});

/** What a list is sorted by. */
export interface ListSort {
  /** Value of the parameter: `score-descending`. */
  readonly value: string;
  /** `score`. */
  readonly name: string;
  readonly order: Order;
  /** The field: `headlineScore`. Records need not have it: audits have no `createdAt`. */
  readonly fieldName: string;
}

const readSort = (resource: ResourceContract, value: string): ListSort => {
  const [name = '', order] = value.split('-');
  return {
    value,
    name,
    order: order === 'ascending' ? order : 'descending',
    fieldName: sortedField(resource, name),
  };
};

/** The default is the first sort whose field the records have, so that people see what the list is sorted by. */
export function sortOf(resource: ResourceContract, { sort }: DataSearch): ListSort {
  const all = (sortsOf(resource).length === 0 ? ['created-descending'] : sortsOf(resource)).map((value) =>
    readSort(resource, value),
  );
  const shown = all.find(({ fieldName }) => fieldName in resource.fields) ?? all[0];
  const found = all.find(({ value }) => value === sort) ?? shown;
  if (found === undefined) throw new Error(`The list ${resource.name} has no sort.`);
  return found;
}

/** A range as a parameter of the service. Undefined: the URL has no valid value. */
export function rangeParam({ field }: RangeFilter, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (field.kind === 'time')
    return Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString();
  const number = Number(value);
  return Number.isInteger(number) && number >= field.min && number <= field.max ? String(number) : undefined;
}

/** The parameters of the list. Leaves out those that the service would refuse, also with this sort. */
export function listParams(resource: ResourceContract, search: DataSearch): Readonly<Record<string, string>> {
  const sort = sortOf(resource, search);
  const ranges = Object.entries(rangesOf(resource)).map(([name, range]) => [
    name,
    range.sort === sort.name ? rangeParam(range, search[name]) : undefined,
  ]);
  const compared = Object.keys(comparedFields(resource)).map((name) => [name, search[name]]);
  const sorted = sortsOf(resource).length === 0 ? [] : [[SORT, sort.value]];
  return Object.fromEntries([...sorted, ...compared, ...ranges].filter(([, value]) => value !== undefined));
}

/** Whether the parameters filter the list. */
export const isFiltered = (params: Readonly<Record<string, string>>): boolean =>
  Object.keys(params).some((name) => name !== SORT);

/** A search without filters. */
export const noFilters = (resource: ResourceContract): DataSearch =>
  Object.fromEntries(filterNames(resource).map((name) => [name, undefined]));

/** The change to another sort. It drops the ranges of other fields, which the list cannot have with this sort. */
export const withSort = (resource: ResourceContract, value: string): DataSearch => ({
  ...Object.fromEntries(
    Object.entries(rangesOf(resource)).flatMap(([name, range]) =>
      sortsOfRange(range).includes(value) ? [] : [[name, undefined]],
    ),
  ),
  [SORT]: value,
});

/** The change of a range. The list is then sorted by the field of the range. */
export function withRange(
  resource: ResourceContract,
  search: DataSearch,
  name: string,
  value: string | undefined,
): DataSearch {
  const range = rangesOf(resource)[name];
  const sorts = range === undefined ? [] : sortsOfRange(range);
  const current = sortOf(resource, search).value;
  const [first] = sorts;
  const moved = value === undefined || first === undefined || sorts.includes(current);
  return { ...(moved ? {} : withSort(resource, first)), [name]: value };
}

/** Whether newer records appear at the top of the list. */
export const isNewestFirst = (resource: ResourceContract, search: DataSearch): boolean => {
  const { order, fieldName } = sortOf(resource, search);
  return order === 'descending' && (resource.fields[fieldName] ?? createdAt).kind === 'time';
};
