import {
  BATCH_BODY_MAX_BYTES,
  BATCH_MAX_OPERATIONS,
  BATCH_MAX_RECORDS,
  type CompleteResource,
  ID_PATTERN,
  type JsonSchema,
} from '@svc/sdk/contract';
import {
  CREATE_FAILURES,
  DELETE_BATCH_FAILURES,
  OPERATIONS_FAILURES,
  updateBatchFailures,
} from './failures.ts';
import { recordExample } from './fields.ts';
import { BATCH_HEADERS, DRY_RUN_HEADERS } from './headers.ts';
import { recordLinks } from './links.ts';
import {
  batchOperationId,
  batchSchemaName,
  deleteBatchOperationId,
  IDS_SCHEMA,
  newBatchSchemaName,
  OPERATIONS_SCHEMA,
  patchBatchSchemaName,
  RESULTS_SCHEMA,
  updateBatchOperationId,
} from './names.ts';
import { batchChangeParameters, createParameters } from './parameters.ts';
import { failureResponses, success } from './responses.ts';
import { type Operation, reference } from './types.ts';
import { closed, newExample, patchExample } from './write-schemas.ts';
import { ACCESS, BYTES_PER_MIB, body, deletionText, movesText, writeScopeText } from './write-texts.ts';

const MIB_MAX = BATCH_BODY_MAX_BYTES / BYTES_PER_MIB;

const exampleId = ({ fields }: CompleteResource): unknown => fields['id']?.example;

export function createBatchOperation(resource: CompleteResource): Operation {
  const { plural } = resource;
  return {
    operationId: batchOperationId(resource),
    tags: [resource.name],
    summary: `Create many ${plural}`,
    description: `Creates up to ${BATCH_MAX_RECORDS} ${plural} in one transaction. If one is refused, none is created, and the error message names its position and its field, such as \`/data/3/${resource.company === 'id' ? 'name' : resource.company}\`. ${ACCESS} ${writeScopeText(resource)}`,
    parameters: createParameters,
    requestBody: body(`The ${plural}, at most ${MIB_MAX} MiB.`, newBatchSchemaName(resource), {
      data: [newExample(resource)],
    }),
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

export const updateBatchOperation = (resource: CompleteResource): Operation => ({
  operationId: updateBatchOperationId(resource),
  tags: [resource.name],
  summary: `Change many ${resource.plural}`,
  description: `Changes up to ${BATCH_MAX_RECORDS} ${resource.plural} in one transaction: each item has the \`id\` of its ${resource.singular} and the fields to change. If one is refused, none is changed, and the error message names its position, such as \`/data/3\`.${movesText(resource)} The same request again changes nothing. ${ACCESS} ${writeScopeText(resource)}`,
  parameters: batchChangeParameters,
  requestBody: body(`The changes, at most ${MIB_MAX} MiB.`, patchBatchSchemaName(resource), {
    data: [{ id: exampleId(resource), ...patchExample(resource) }],
  }),
  responses: {
    200: success(
      {
        description: `The changed ${resource.plural}, in the order of the request.`,
        schema: batchSchemaName(resource),
        example: { data: [recordExample(resource)] },
      },
      DRY_RUN_HEADERS,
    ),
    ...failureResponses(updateBatchFailures(resource)),
  },
});

export const deleteBatchOperation = (resource: CompleteResource): Operation => ({
  operationId: deleteBatchOperationId(resource),
  tags: [resource.name],
  summary: `Delete many ${resource.plural}`,
  description: `Deletes up to ${BATCH_MAX_RECORDS} ${resource.plural} permanently, in one transaction. If one is refused, or does not exist, none is deleted, and the error message names its position, such as \`/data/3\`.${deletionText(resource)} ${ACCESS} ${writeScopeText(resource)}`,
  parameters: createParameters,
  requestBody: body(`The ids of the ${resource.plural}.`, IDS_SCHEMA, {
    data: [{ id: exampleId(resource) }],
  }),
  responses: {
    204: { description: `The ${resource.plural} are deleted. No body.`, headers: BATCH_HEADERS },
    ...failureResponses(DELETE_BATCH_FAILURES),
  },
});

/** The operation that writes records of several resources. `example`: two dependent operations. */
export const operationsOperation = (resources: readonly CompleteResource[]): Operation => ({
  operationId: 'batch',
  tags: [BATCH_TAG],
  summary: 'Write records of several resources',
  description: `Carries out up to ${BATCH_MAX_OPERATIONS} writes in one transaction, in their order: each one finds what those before it have written. If one is refused, nothing is written, and the error message names its position, such as \`/operations/1\`. With your own ids, later operations can refer to records that earlier ones create. With a test key, all of it is a dry run: so you can try writes that depend on each other. ${ACCESS} It is one request: one entry in the audit log, and one unit of quota.`,
  parameters: createParameters,
  requestBody: body(
    `The operations, at most ${MIB_MAX} MiB.`,
    OPERATIONS_SCHEMA,
    operationsExample(resources).request,
  ),
  responses: {
    200: success(
      {
        description: 'The result of each operation, in the order of the request.',
        schema: RESULTS_SCHEMA,
        example: operationsExample(resources).response,
      },
      BATCH_HEADERS,
    ),
    ...failureResponses(OPERATIONS_FAILURES),
  },
});

export const BATCH_TAG = 'batch';

/** A company with an id of its own, and a record of it. */
function operationsExample(resources: readonly CompleteResource[]): {
  readonly request: JsonSchema;
  readonly response: JsonSchema;
} {
  const parent = resources.find(({ company }) => company === 'id');
  const child = resources.find(({ company, immutable }) => company === 'companyId' && !immutable);
  if (parent === undefined || child === undefined) throw new Error('No resource has a company.');
  const id = 'acme';
  const request = {
    operations: [
      { method: 'PUT', path: `${parent.path}/${id}`, body: newExample(parent) },
      { method: 'POST', path: child.path, body: { ...newExample(child), companyId: id } },
    ],
  };
  const response = {
    data: [
      { status: 201, body: { ...recordExample(parent), id } },
      { status: 201, body: { ...recordExample(child), companyId: id } },
    ],
  };
  return { request, response };
}

/** The schemas of batches that do not depend on a resource. */
export const batchSchemas = (
  resources: readonly CompleteResource[],
): Readonly<Record<string, JsonSchema>> => ({
  [IDS_SCHEMA]: closed(
    {
      data: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_MAX_RECORDS,
        items: closed({ id: { type: 'string', pattern: ID_PATTERN } }, ['id'], 'The id of a record.'),
      },
    },
    ['data'],
    'The ids of records. Each id can occur once.',
  ),
  [OPERATIONS_SCHEMA]: closed(
    {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_MAX_OPERATIONS,
        items: closed(
          {
            method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
            path: {
              type: 'string',
              pattern: `^/v1/(${resources.map(({ name }) => name).join('|')})(/[^/?#]+)?$`,
              description: 'The path of a list with `POST`, or of a record.',
            },
            body: { type: 'object', description: 'The body of the request with this method and path.' },
            ifMatch: { type: 'string', description: 'As the header `If-Match`.' },
            ifNoneMatch: { type: 'string', description: 'As the header `If-None-Match`, with `PUT`.' },
          },
          ['method', 'path'],
          'A write of one record.',
        ),
      },
    },
    ['operations'],
    'Writes to carry out together, in this order: all or none.',
  ),
  [RESULTS_SCHEMA]: {
    type: 'object',
    required: ['data'],
    properties: {
      data: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_MAX_OPERATIONS,
        items: {
          type: 'object',
          required: ['status'],
          properties: {
            status: {
              type: 'integer',
              description: 'The status that the write alone would get: 200, 201 or 204.',
            },
            body: {
              anyOf: resources.map(({ type }) => reference('schemas', type)),
              description: 'The record. Absent after a deletion.',
            },
          },
        },
      },
    },
  },
});
