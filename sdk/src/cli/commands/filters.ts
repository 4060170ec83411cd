import { SEARCH, sortsOfRange } from '../../contract/index.ts';
import type { Resource } from '../../resource.ts';
import { type Options, optionOf, text, UsageError, type Values } from '../command.ts';

/** The options that filter a list, derived from its resource. */

const filterOptions = ({ filters }: Resource): Options =>
  Object.fromEntries(
    Object.entries(filters).map(([filter, values]) => [
      optionOf(filter),
      {
        type: 'string',
        value: values === 'id' ? 'ID' : optionOf(filter).toUpperCase(),
        description: `Filter by ${optionOf(filter)}`,
        ...(typeof values === 'string' ? {} : { choices: values }),
      },
    ]),
  );

const rangeOptions = (resource: Resource): Options =>
  Object.fromEntries(
    Object.entries(resource.ranges ?? {}).map(([range, { kind, sort }]) => [
      optionOf(range),
      {
        type: 'string',
        value: kind === 'time' ? 'TIME' : 'N',
        description: `${RANGES.find(([end]) => range.endsWith(end))?.[1]}${onlyWith(resource, sort)}`,
      },
    ]),
  );

const searchOptions = ({ searched = false }: Resource): Options =>
  searched
    ? {
        [SEARCH]: {
          type: 'string',
          value: 'TEXT',
          description: 'Only records in which each word of this text begins a word',
        },
      }
    : {};

/** The options of a tail: the filters and the search. */
export const tailOptions = (resource: Resource): Options => ({
  ...filterOptions(resource),
  ...searchOptions(resource),
});

/** The options of a list, which has a beginning and an end: the filters, the ranges and the search. */
export const queryOptions = (resource: Resource): Options => ({
  ...filterOptions(resource),
  ...rangeOptions(resource),
  ...searchOptions(resource),
});

const RANGES = [
  ['After', 'Only records at or after this time'],
  ['Before', 'Only records before this time'],
  ['Min', 'Smallest value'],
  ['Max', 'Largest value'],
] as const;

const onlyWith = ({ sorts }: Resource, sort: string): string =>
  sorts === undefined ? '' : `. With --sort ${sortsOfRange({ sort }).join(' or ')}`;

type Parameters = Readonly<Record<string, string | undefined>>;

/** The parameters of {@link tailOptions}. */
export const tailParameters = (resource: Resource, values: Values): Parameters =>
  given([...Object.keys(resource.filters), ...(resource.searched === true ? [SEARCH] : [])], values);

/** The parameters of {@link queryOptions}. */
export const queryOf = (resource: Resource, values: Values): Parameters => ({
  ...tailParameters(resource, values),
  ...given(Object.keys(resource.ranges ?? {}), values),
});

const given = (parameters: readonly string[], values: Values): Parameters =>
  Object.fromEntries(
    parameters.map((parameter) => {
      const value = text(values, optionOf(parameter));
      if (value === '') throw new UsageError(`--${optionOf(parameter)} must not be empty.`);
      return [parameter, value];
    }),
  );
