import {
  BATCH_BODY_MAX_BYTES,
  BATCH_MAX_RECORDS,
  BODY_MAX_BYTES,
  type CompleteResource,
  type JsonSchema,
  oneOf,
} from '@svc/sdk/contract';
import { CREATE_FAILURES, deleteFailures, updateFailures } from './failures.ts';
import { BATCH_HEADERS, CREATED_HEADERS, DELETED_HEADERS, UPDATED_HEADERS } from './headers.ts';
import { recordLinks } from './links.ts';
import {
  batchOperationId,
  batchSchemaName,
  createOperationId,
  deleteOperationId,
  newBatchSchemaName,
  newSchemaName,
  patchSchemaName,
  updateOperationId,
} from './names.ts';
import { changeParameters, createParameters } from './parameters.ts';
import { failureResponses, success } from './responses.ts';
import { recordExample } from './schemas.ts';
import { type Operation, type PathItem, type RequestBody, reference } from './types.ts';
import { newExample, patchExample } from './write-schemas.ts';

const BYTES_PER_MIB = 1024 * 1024;
const JSON_TYPES = ['application/json'] as const;
const PATCH_TYPES = ['application/json', 'application/merge-patch+json'] as const;

const body = (
  description: string,
  schema: string,
  example: JsonSchema,
  types: readonly string[] = JSON_TYPES,
): RequestBody => ({
  required: true,
  description,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { ...reference('schemas', schema) }, example }]),
  ),
});

const scopeText = ({ company }: CompleteResource): string =>
  company === 'id'
    ? 'A key that is limited to one company can change that company, and cannot create others.'
    : 'A key that is limited to one company can write only the records of that company.';

const ACCESS = `Needs a key with write access. A write with a test key is a dry run (\`Dry-Run: true\`): it is executed and rolled back, and gets the response of a real write.`;

function createOperation(resource: CompleteResource): Operation {
  return {
    operationId: createOperationId(resource),
    tags: [resource.name],
    summary: `Create ${oneOf(resource)}`,
    description: `Creates ${oneOf(resource)} and returns it as lists show it. ${ACCESS} ${scopeText(resource)}`,
    parameters: createParameters,
    requestBody: body(
      `The ${resource.singular}, at most ${BODY_MAX_BYTES / BYTES_PER_MIB} MiB.`,
      newSchemaName(resource),
      newExample(resource),
    ),
    responses: {
      201: success(
        {
          description: `The new ${resource.singular}.`,
          schema: resource.type,
          example: recordExample(resource),
          links: recordLinks(resource),
        },
        CREATED_HEADERS,
      ),
      ...failureResponses(CREATE_FAILURES),
    },
  };
}

function batchOperation(resource: CompleteResource): Operation {
  const { plural } = resource;
  return {
    operationId: batchOperationId(resource),
    tags: [resource.name],
    summary: `Create many ${plural}`,
    description: `Creates up to ${BATCH_MAX_RECORDS} ${plural} in one transaction. If one is refused, none is created, and the error message names its position and its field, such as \`/data/3/${resource.company === 'id' ? 'name' : resource.company}\`. ${ACCESS} ${scopeText(resource)}`,
    parameters: createParameters,
    requestBody: body(
      `The ${plural}, at most ${BATCH_BODY_MAX_BYTES / BYTES_PER_MIB} MiB.`,
      newBatchSchemaName(resource),
      { data: [newExample(resource)] },
    ),
    responses: {
      201: success(
        {
          description: `The new ${plural}, in the order of the request.`,
          schema: batchSchemaName(resource),
          example: { data: [recordExample(resource)] },
          links: recordLinks(resource, '$response.body#/data/0/id', 'First'),
        },
        BATCH_HEADERS,
      ),
      ...failureResponses(CREATE_FAILURES),
    },
  };
}

const movesText = ({ transitions }: CompleteResource): string => {
  if (transitions === undefined) return '';
  const moves = Object.entries(transitions.moves).map(([from, to]) => `\`${from}\` to ${list(to)}`);
  return ` \`${transitions.field}\` can only change like this: ${moves.join('; ')}. Any other change is refused with \`invalid_transition\`.`;
};

const list = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``));

const updateOperation = (resource: CompleteResource): Operation => ({
  operationId: updateOperationId(resource),
  tags: [resource.name],
  summary: `Change ${oneOf(resource)}`,
  description: `Changes the given fields (JSON merge patch, RFC 7396) and returns the whole ${resource.singular}.${movesText(resource)} ${ACCESS} ${scopeText(resource)}`,
  parameters: changeParameters(resource),
  requestBody: body('The fields to change.', patchSchemaName(resource), patchExample(resource), PATCH_TYPES),
  responses: {
    200: success(
      {
        description: `The changed ${resource.singular}.`,
        schema: resource.type,
        example: recordExample(resource),
        links: recordLinks(resource),
      },
      UPDATED_HEADERS,
    ),
    ...failureResponses(updateFailures(resource)),
  },
});

const deleteOperation = (resource: CompleteResource): Operation => ({
  operationId: deleteOperationId(resource),
  tags: [resource.name],
  summary: `Delete ${oneOf(resource)}`,
  description: `Deletes the ${resource.singular} permanently.${resource.company === 'id' ? ' A company that has records or API keys is refused with `conflict`.' : ''} ${ACCESS} ${scopeText(resource)}`,
  parameters: changeParameters(resource),
  responses: {
    204: { description: `The ${resource.singular} is deleted. No body.`, headers: DELETED_HEADERS },
    ...failureResponses(deleteFailures(resource)),
  },
});

/** The write operations of a resource, by the rest of their path after that of the resource: '', '/batch' and '/{id}'. */
export function writeOperations(
  resource: CompleteResource,
): Readonly<Record<'' | '/batch' | '/{id}', PathItem>> {
  if (!resource.writable) return { '': {}, '/batch': {}, '/{id}': {} };
  return {
    '': { post: createOperation(resource) },
    '/batch': { post: batchOperation(resource) },
    '/{id}': resource.immutable
      ? {}
      : { patch: updateOperation(resource), delete: deleteOperation(resource) },
  };
}
