import {
  type CompleteResource,
  CREATED,
  FIELDS,
  type Field,
  type RangeFilter,
  SEARCH,
  searchField,
  servedFilters,
  sortsOfRange,
} from '@svc/sdk/contract';
import { describedSchema } from './fields.ts';
import type { Parameter } from './types.ts';

/** The parameters that say which records a list returns, and which of their fields. */

export const fieldsParameter = ({ singular, fields }: CompleteResource): Parameter => ({
  name: FIELDS,
  in: 'query',
  description: `Only these fields of each ${singular}, with a comma between them, and always \`id\`. The other fields that the schema of the response requires are then absent.`,
  style: 'form',
  explode: false,
  schema: {
    type: 'array',
    items: { type: 'string', enum: Object.keys(fields) },
    minItems: 1,
    uniqueItems: true,
  },
});

export const filterParameters = (resource: CompleteResource): readonly Parameter[] =>
  Object.entries(resource.filters).map(([name, field]) =>
    filterParameter(name, field, shortPagesNote(resource, name)),
  );

/** The same filters for a stream, which has no pages. */
export const streamFilterParameters = (resource: CompleteResource): readonly Parameter[] =>
  Object.entries(resource.filters).map(([name, field]) => filterParameter(name, field));

/** Explorers send every parameter that has an example, so a filter has none. */
function withoutExample(field: Field): {
  readonly description: string;
  readonly schema: Parameter['schema'];
} {
  const { description, examples: _, ...schema } = describedSchema(field);
  return { description: String(description), schema };
}

function filterParameter(name: string, field: Field, note = ''): Parameter {
  const { description, schema } = withoutExample(field);
  return { name, in: 'query', description: `Exact match. ${description}${note}`, schema };
}

/** With which sorts, or with which value, a filter makes short pages. */
function shortPagesNote(resource: CompleteResource, name: string): string {
  const sorts = [CREATED, ...Object.keys(resource.sorts ?? {})];
  const slow = sorts.filter((sort) => !servedFilters(resource, sort, [name]).indexed.includes(name));
  const names = slow.map((sort) => `\`${sort}-…\``).join(' and ');
  const when = slow.length === sorts.length ? '' : ` with the sorts ${names}`;
  const value = resource.unindexed?.[name];
  const slowValue = value === undefined ? '' : ` \`${value}\` is compared row by row: ${SHORT_PAGES}`;
  return slow.length === 0 ? slowValue : ` Compared row by row${when}: ${SHORT_PAGES}`;
}

const SHORT_PAGES = 'a page can have fewer items than its limit, even none, while `hasMore` is true.';

const BOUNDS = { '>=': 'At least', '<=': 'At most', '<': 'Before' } as const;

export function rangeParameter(
  resource: CompleteResource,
  name: string,
  { sort, fieldName, field, operator }: RangeFilter,
): Parameter {
  const { schema } = withoutExample(field);
  const bound = field.kind === 'time' && operator === '>=' ? 'At or after' : BOUNDS[operator];
  const needed = sortsOfRange({ sort })
    .map((each) => `\`${each}\``)
    .join(' or ');
  const only = resource.sorts === undefined ? '' : ` Only with \`sort\` ${needed}.`;
  return { name, in: 'query', description: `${bound} this \`${fieldName}\`.${only}`, schema };
}

export function searchParameter({ searched = [] }: CompleteResource): Parameter {
  const fields = searched.map((name) => `\`${name}\``);
  return {
    name: SEARCH,
    in: 'query',
    description: `Words, in upper or lower case: each begins a word of ${fields.join(' or of the host of ')}. Or an id, or a URL without its scheme. Words that many records have are compared row by row: ${SHORT_PAGES}`,
    schema: withoutExample(searchField).schema,
  };
}
