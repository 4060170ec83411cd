import {
  CURSOR_LIFETIME_SECONDS,
  ID_PATTERN,
  IDEMPOTENCY_KEY_MAX_CHARACTERS,
  IDEMPOTENCY_LIFETIME_SECONDS,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_LIMIT_MIN,
} from '@svc/sdk/contract';
import { REQUEST_ID_PATTERN } from '../http/request.ts';
import { parametersOf, sortsOf } from '../list/definition.ts';
import type { Direction } from '../list/query.ts';
import type { Resource } from '../resources/define.ts';
import { describedSchema } from './schemas.ts';
import { type Parameter, type Reference, reference } from './types.ts';

const SECONDS_PER_HOUR = 3600;
export const CURSOR_LIFETIME_HOURS = CURSOR_LIFETIME_SECONDS / SECONDS_PER_HOUR;
const IDEMPOTENCY_LIFETIME_HOURS = IDEMPOTENCY_LIFETIME_SECONDS / SECONDS_PER_HOUR;

const DIRECTIONS = {
  forward: 'the items after the cursor',
  before: 'the items ahead of it, nearest last; without a cursor, the end of the list',
} as const satisfies Readonly<Record<Direction, string>>;

/** Parameters that every list, or every operation, has. */
export const PARAMETERS = {
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: `\`nextCursor\`, \`startCursor\` or \`endCursor\` of an earlier page of the same list, filters and sort. Opaque; valid for ${CURSOR_LIFETIME_HOURS} hours. Leave it out on the first request.`,
    schema: { type: 'string' },
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'Items a page. Below 10 is accepted, but makes many requests of few items.',
    schema: {
      type: 'integer',
      minimum: PAGE_LIMIT_MIN,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
    },
  },
  Direction: {
    name: 'direction',
    in: 'query',
    description: `Way of travel: ${Object.entries(DIRECTIONS)
      .map(([direction, meaning]) => `\`${direction}\`, ${meaning}`)
      .join('; ')}. Items keep the order of the list either way.`,
    schema: { type: 'string', enum: Object.keys(DIRECTIONS), default: 'forward' satisfies Direction },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer: 304 without a body when nothing has changed since.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      "The record's ETag as it was read, or `*`: 412 `precondition_failed` when the record has changed since, instead of a lost change.",
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes the request safe to repeat: for ${IDEMPOTENCY_LIFETIME_HOURS} hours the same key and body get the first answer again (\`Idempotent-Replayed: true\`) and nothing is made twice. Shared by all API keys of the workspace that have no company limit, and by all that are limited to the same company. Take a new one, such as a UUID, for each new request. A refused request keeps nothing.`,
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS, pattern: '^[!-~]+$' },
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header',
    description: `An id of your own for this request, as \`${REQUEST_ID_PATTERN}\`. One of another shape is replaced.`,
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, Parameter>>;

const shared = (...names: readonly (keyof typeof PARAMETERS)[]): readonly Reference[] =>
  names.map((name) => reference('parameters', name));

export function listParameters(resource: Resource): readonly (Parameter | Reference)[] {
  const own: Readonly<Record<string, Parameter | Reference>> = {
    ...Object.fromEntries(
      (['Cursor', 'Limit', 'Direction'] as const).map((name) => [
        PARAMETERS[name].name,
        reference('parameters', name),
      ]),
    ),
    sort: sortParameter(resource),
    ...Object.fromEntries(
      Object.keys(resource.filters).map((name) => [name, filterParameter(resource, name)]),
    ),
  };
  const query = parametersOf(resource.list).map((name) => {
    const parameter = own[name];
    if (parameter === undefined) throw new Error(`The parameter ${name} of ${resource.name} is undescribed.`);
    return parameter;
  });
  return [...query, ...shared('IfNoneMatch', 'RequestId')];
}

function sortParameter({ list }: Resource): Parameter {
  const names = sortsOf(list).map(({ name }) => name);
  return {
    name: 'sort',
    in: 'query',
    description: 'Field and order; equal values are ordered by id. Another sort needs a new cursor.',
    schema: { type: 'string', enum: names, default: names[0] },
  };
}

function filterParameter({ filters }: Resource, name: string): Parameter {
  const field = filters[name];
  if (field === undefined) throw new Error(`There is no filter ${name}.`);
  // Explorers send a parameter that has an example: a filter is for those who choose one.
  const { description, examples: _, ...schema } = describedSchema(field);
  return { name, in: 'query', description: `Only items where this equals. ${String(description)}`, schema };
}

const idParameter = ({ singular, fields }: Resource): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Id of the ${singular}.`,
  schema: { type: 'string', pattern: ID_PATTERN, examples: [fields['id']?.example] },
});

export const recordParameters = (resource: Resource): readonly (Parameter | Reference)[] => [
  idParameter(resource),
  ...shared('IfNoneMatch', 'RequestId'),
];

export const createParameters = shared('IdempotencyKey', 'RequestId');

export const changeParameters = (resource: Resource): readonly (Parameter | Reference)[] => [
  idParameter(resource),
  ...shared('IfMatch', 'RequestId'),
];

export const countParameters: readonly (Parameter | Reference)[] = [
  {
    name: 'approximate',
    in: 'query',
    description: 'True: a kept counter, fast at any size, within 10 percent. False: counted exactly.',
    schema: { type: 'boolean', default: false },
  },
  ...shared('RequestId'),
];
