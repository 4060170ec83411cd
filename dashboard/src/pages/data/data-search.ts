import { sortsOf } from '@svc/sdk/contract';
import { DATA_RESOURCES, type ResourceContract } from '../../resources/resources.ts';
import { text } from '../../routes/search.ts';

/** The filters and the sort of a list in the URL. */
export type DataSearch = Readonly<Record<string, string | undefined>>;

const SORT = 'sort';
const NAMES = new Set([SORT, ...DATA_RESOURCES.flatMap(({ filters }) => Object.keys(filters))]);

/** Reads the filters and the sort from the URL, for the list of any resource. */
export const dataSearch = (search: Readonly<Record<string, unknown>>): DataSearch =>
  Object.fromEntries([...NAMES].map((name) => [name, text(search[name])]));

/** The parameters of the list. Leaves out what the list does not have, which the service would refuse. */
export const listParams = (
  resource: ResourceContract,
  search: DataSearch,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => {
      const known = name === SORT ? sortsOf(resource).includes(value ?? '') : name in resource.filters;
      return known && value !== undefined ? [[name, value]] : [];
    }),
  );

/** A search without filters. */
export const noFilters = ({ filters }: ResourceContract): DataSearch =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));

/** Whether new records appear at the top of the list. */
export const isNewestFirst = (resource: ResourceContract, { sort }: DataSearch): boolean => {
  const [first] = sortsOf(resource);
  return first === undefined || (sort ?? first) === first;
};
