import { SEARCH, sortsOfRange } from '../../contract/index.ts';
import type { Resource } from '../../resource.ts';
import { type Options, optionOf, text, UsageError, type Values } from '../command.ts';

/** The options that filter a list, derived from its resource. */

export const filterOptions = ({ filters }: Resource): Options =>
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

/** The options of a list that has a beginning and an end: the filters, the ranges and the search. */
export const queryOptions = (resource: Resource): Options => ({
  ...filterOptions(resource),
  ...Object.fromEntries(
    Object.entries(resource.ranges ?? {}).map(([range, { kind, sort }]) => [
      optionOf(range),
      {
        type: 'string',
        value: kind === 'time' ? 'TIME' : 'N',
        description: `${RANGES.find(([end]) => range.endsWith(end))?.[1]}${onlyWith(resource, sort)}`,
      },
    ]),
  ),
  ...(resource.searched === true
    ? {
        [SEARCH]: {
          type: 'string',
          value: 'TEXT',
          description: 'Only records in which each word of this text begins a word',
        },
      }
    : {}),
});

const RANGES = [
  ['After', 'Only records at or after this time'],
  ['Before', 'Only records before this time'],
  ['Min', 'Smallest value'],
  ['Max', 'Largest value'],
] as const;

const onlyWith = ({ sorts }: Resource, sort: string): string =>
  sorts === undefined ? '' : `. With --sort ${sortsOfRange({ sort }).join(' or ')}`;

export const filtersOf = (resource: Resource, values: Values): Readonly<Record<string, string | undefined>> =>
  given(Object.keys(resource.filters), values);

export const queryOf = (resource: Resource, values: Values): Readonly<Record<string, string | undefined>> =>
  given(
    [
      ...Object.keys(resource.filters),
      ...Object.keys(resource.ranges ?? {}),
      ...(resource.searched === true ? [SEARCH] : []),
    ],
    values,
  );

const given = (parameters: readonly string[], values: Values): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    parameters.map((parameter) => {
      const value = text(values, optionOf(parameter));
      if (value === '') throw new UsageError(`--${optionOf(parameter)} must not be empty.`);
      return [parameter, value];
    }),
  );
