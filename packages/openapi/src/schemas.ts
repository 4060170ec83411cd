import {
  type CompleteResource,
  ERROR_CODES,
  type Fields,
  ID_PATTERN,
  type JsonSchema,
  ME,
  PAGE_LIMIT_MAX,
  TOTAL_MAX_ITEMS,
} from '@svc/sdk/contract';
import { changeRecordSchema, eventSchemas } from './event-schemas.ts';
import { ERROR_CODES_TEXT } from './failures.ts';
import { exampleOf, objectSchema, openSchema, recordExample } from './fields.ts';
import { listSchemaName } from './names.ts';
import { reference } from './types.ts';

/**
 * The schemas of responses, with the names of the wire types. They stay open (no `additionalProperties: false`): fields
 * are added within a version, so a client must accept fields that it does not know.
 */

/** The schema of the records of a resource. A change has the record of another one. */
function recordSchema(
  { description, fields, positions }: CompleteResource,
  resources: readonly CompleteResource[],
): JsonSchema {
  const schema = objectSchema(description, fields);
  if (positions !== true) return schema;
  return {
    ...schema,
    properties: { ...Object(schema['properties']), record: changeRecordSchema(resources) },
  };
}

const listSchema = (resource: CompleteResource): JsonSchema => ({
  type: 'object',
  required: ['data', 'pagination'],
  properties: {
    data: {
      type: 'array',
      description: 'Items of the page, in the order of the list.',
      maxItems: PAGE_LIMIT_MAX,
      items: reference('schemas', resource.type),
    },
    pagination: reference('schemas', paginationName(resource)),
  },
});

type Paginated = Pick<CompleteResource, 'total' | 'positions'>;

const paginationName = ({ total, positions }: Paginated): string =>
  total ? 'PaginationWithTotal' : positions ? 'PaginationWithPosition' : 'Pagination';

const searchedTo: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description:
    'Present if the page ended early, because a filter has no index: the time of the last item that was read. The page may be empty; `nextCursor` continues.',
};

const cursor = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^[A-Za-z0-9_-]+$',
  description,
});

function paginationSchema({ total, positions }: Paginated): JsonSchema {
  return {
    type: 'object',
    required: ['nextCursor', 'hasMore', 'startCursor', 'endCursor', ...(positions ? ['position'] : [])],
    properties: {
      nextCursor: cursor(
        'Cursor of the next page in the requested direction; null if there is none. Opaque.',
      ),
      hasMore: { type: 'boolean', description: 'Equal to `nextCursor !== null`.' },
      startCursor: cursor('Cursor before the first item of this page; null on an empty first page.'),
      endCursor: cursor('Cursor after the last item of this page; null on an empty first page.'),
      searchedTo,
      ...(total
        ? {
            total: {
              type: 'integer',
              minimum: 0,
              maximum: TOTAL_MAX_ITEMS,
              description: `Number of items in the filtered list. Absent above ${TOTAL_MAX_ITEMS}, and if it is not known because a filter has no index.`,
            },
          }
        : {}),
      ...(positions
        ? {
            position: {
              type: 'string',
              pattern: ID_PATTERN,
              description:
                'Where the changes after this page begin: request `after` with it, now or within 30 days. On the first page of the newest changes, it is the end of the feed. Unlike a cursor, it may be stored.',
            },
          }
        : {}),
    },
  };
}

const EXAMPLE_START_CURSOR = 'AR8wF3nKp0sVd2ZxYq7LhT5uJm9cGb4eWk1oXi6yPa';
const EXAMPLE_END_CURSOR = 'AX2tQe5vNc8rHj1mLw4zBf7gUy0kSd3pKa6oVi9xTn';

/** The first of several pages: one record, and the cursors before and after it. */
export const listExample = (resource: CompleteResource): JsonSchema => ({
  data: [recordExample(resource)],
  pagination: {
    nextCursor: EXAMPLE_END_CURSOR,
    hasMore: true,
    startCursor: EXAMPLE_START_CURSOR,
    endCursor: EXAMPLE_END_CURSOR,
    ...(resource.total ? { total: 17 } : {}),
    ...(resource.positions ? { position: recordExample(resource)['id'] } : {}),
  },
});

const countSchema: JsonSchema = {
  type: 'object',
  required: ['count', 'approximate'],
  properties: {
    count: { type: 'integer', minimum: 0, description: 'Number of records.' },
    approximate: { type: 'boolean', description: 'Whether an approximate count was requested.' },
  },
};

/** A part of the response that describes the key. */
interface MePart {
  readonly description: string;
  readonly nullable?: true;
  readonly fields: Fields;
}

const meParts: readonly (readonly [string, MePart])[] = Object.entries(ME);

const meSchema: JsonSchema = {
  type: 'object',
  description: 'The API key of the request, and what limits it.',
  required: meParts.map(([name]) => name),
  properties: Object.fromEntries(
    meParts.map(([name, { description, nullable, fields }]) => [
      name,
      { ...objectSchema(description, fields), ...(nullable ? { type: ['object', 'null'] } : {}) },
    ]),
  ),
};

export const meExample: JsonSchema = Object.fromEntries(
  meParts.map(([name, { fields }]) => [name, exampleOf(fields)]),
);

const errorSchema: JsonSchema = {
  type: 'object',
  description:
    'The body of every failure. Use the code to decide what to do. The message is for people and may change.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: openSchema({ type: 'string', enum: ERROR_CODES, description: ERROR_CODES_TEXT }),
        message: { type: 'string', description: 'Text for people: what is wrong and what is allowed.' },
      },
    },
  },
};

export function schemas(resources: readonly CompleteResource[]): Readonly<Record<string, JsonSchema>> {
  return {
    ...Object.fromEntries(
      resources.flatMap((resource) => [
        [resource.type, recordSchema(resource, resources)],
        [listSchemaName(resource), listSchema(resource)],
      ]),
    ),
    ...eventSchemas(resources),
    ...Object.fromEntries(resources.map((each) => [paginationName(each), paginationSchema(each)])),
    Count: countSchema,
    Me: meSchema,
    ErrorEnvelope: errorSchema,
  };
}
