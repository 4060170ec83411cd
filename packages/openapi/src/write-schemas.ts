import {
  BATCH_MAX_RECORDS,
  type CompleteResource,
  capitalized,
  defaultOf,
  type Field,
  ID_PATTERN,
  type JsonSchema,
  oneOf,
  requiredFields,
  writableFields,
} from '@svc/sdk/contract';
import { exampleOf, writtenSchema } from './fields.ts';
import {
  batchSchemaName,
  newBatchSchemaName,
  newSchemaName,
  patchBatchSchemaName,
  patchSchemaName,
  wholeSchemaName,
} from './names.ts';
import { reference } from './types.ts';
import { defaultsText } from './write-texts.ts';

/**
 * The schema of a request body. It is closed (`additionalProperties: false`), because the service refuses unknown fields:
 * a misspelt field must not be ignored.
 */
export const closed = (
  properties: JsonSchema,
  required: readonly string[],
  description: string,
): JsonSchema => ({
  type: 'object',
  description,
  ...(required.length === 0 ? {} : { required }),
  properties,
  additionalProperties: false,
});

function newSchema(resource: CompleteResource): JsonSchema {
  const properties = Object.entries(writableFields(resource, 'create')).map(([name, field]) => [
    name,
    name === 'id' ? ownIdSchema(resource, field) : withDefault(resource, name, field),
  ]);
  return closed(
    Object.fromEntries(properties),
    requiredFields(resource, 'create'),
    `${capitalized(oneOf(resource))} to create. The service sets the other fields.`,
  );
}

const ownIdSchema = ({ singular }: CompleteResource, field: Field): JsonSchema => ({
  ...writtenSchema(field),
  description: `Your own id for the ${singular}. Default: the service creates one. An id that is taken is refused with \`conflict\`.`,
});

/** The id of a record that may exist: from before the rule of new ids, it can have any id. `properties`: of a new record. */
const changedIdSchema = (properties: unknown, description: string): JsonSchema => ({
  ...Object(Object(properties)['id']),
  pattern: ID_PATTERN,
  description,
});

/**
 * The description has the default of an optional field. The keyword `default` would make client generators treat the
 * field as always present.
 */
function withDefault({ optional }: CompleteResource, name: string, field: Field): JsonSchema {
  const schema = writtenSchema(field);
  if (!optional.includes(name)) return schema;
  return { ...schema, description: `${field.description} Default: ${defaultOf(field)}.` };
}

/** A record to create or to replace. Its id is in the path. */
function wholeSchema(resource: CompleteResource): JsonSchema {
  const { properties, required } = newSchema(resource);
  const { singular, transitions } = resource;
  const stamps = Object.values(transitions?.stamps ?? {}).map((name) => `\`${name}\``);
  const kept = stamps.length === 0 ? '' : ` ${stamps.join(', ')} keeps its value if the record exists.`;
  const id = changedIdSchema(properties, 'The id in the path, or left out.');
  return closed(
    { ...Object(properties), id },
    required as readonly string[],
    `The whole ${singular}.${defaultsText(resource)}${kept} The service sets the other fields.`,
  );
}

const patchSchema = (resource: CompleteResource): JsonSchema =>
  closed(
    Object.fromEntries(
      Object.entries(writableFields(resource, 'patch')).map(([name, field]) => [name, writtenSchema(field)]),
    ),
    [],
    `Changes of ${oneOf(resource)} (JSON merge patch, RFC 7396). Omitted fields keep their values; null clears a nullable field.`,
  );

const newBatchSchema = (resource: CompleteResource): JsonSchema =>
  closed(
    {
      data: {
        type: 'array',
        description: `The ${resource.plural} to create, in this order.`,
        minItems: 1,
        maxItems: BATCH_MAX_RECORDS,
        items: reference('schemas', newSchemaName(resource)),
      },
    },
    ['data'],
    `${capitalized(resource.plural)} to create together: all or none.`,
  );

const patchBatchSchema = (resource: CompleteResource): JsonSchema => {
  const { properties } = patchSchema(resource);
  const created = newSchema(resource)['properties'];
  const own = changedIdSchema(created, `Id of the ${resource.singular}. Each id can occur once.`);
  return closed(
    {
      data: {
        type: 'array',
        description: `The changes, each with the id of its ${resource.singular}.`,
        minItems: 1,
        maxItems: BATCH_MAX_RECORDS,
        items: closed(
          { id: own, ...Object(properties) },
          ['id'],
          `Changes of ${oneOf(resource)} (JSON merge patch, RFC 7396).`,
        ),
      },
    },
    ['data'],
    `${capitalized(resource.plural)} to change together: all or none.`,
  );
};

/** The response to a batch. */
const batchSchema = (resource: CompleteResource): JsonSchema => ({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      description: `The ${resource.plural}, in the order of the request.`,
      minItems: 1,
      maxItems: BATCH_MAX_RECORDS,
      items: reference('schemas', resource.type),
    },
  },
});

/** The schemas of a resource's writes and their responses, by name. */
export const writeSchemas = (resource: CompleteResource): readonly (readonly [string, JsonSchema])[] => [
  [newSchemaName(resource), newSchema(resource)],
  [newBatchSchemaName(resource), newBatchSchema(resource)],
  [batchSchemaName(resource), batchSchema(resource)],
  [wholeSchemaName(resource), wholeSchema(resource)],
  ...(resource.immutable
    ? []
    : ([
        [patchSchemaName(resource), patchSchema(resource)],
        [patchBatchSchemaName(resource), patchBatchSchema(resource)],
      ] as const)),
];

/** An example of a record to create: the fields that a writer can set, without `id`. */
export function newExample(resource: CompleteResource): JsonSchema {
  const { id: _, ...fields } = writableFields(resource, 'create');
  return exampleOf(fields);
}

/** A change of the first field that is neither the record's company nor its state. */
export function patchExample(resource: CompleteResource): JsonSchema {
  const { company, transitions } = resource;
  const found = Object.entries(writableFields(resource, 'patch')).find(
    ([name]) => name !== company && name !== transitions?.field,
  );
  return found === undefined ? {} : { [found[0]]: found[1].example };
}
