import { BODY_MAX_BYTES, type CompleteResource, capitalized, oneOf } from '@svc/sdk/contract';
import { createBatchOperation, deleteBatchOperation, updateBatchOperation } from './batch-operations.ts';
import { CREATE_FAILURES, deleteFailures, putFailures, updateFailures } from './failures.ts';
import { recordExample } from './fields.ts';
import { CREATED_HEADERS, DRY_RUN_HEADERS, REPLACED_HEADERS, UPDATED_HEADERS } from './headers.ts';
import { recordLinks } from './links.ts';
import {
  createOperationId,
  deleteOperationId,
  newSchemaName,
  patchSchemaName,
  putOperationId,
  updateOperationId,
  wholeSchemaName,
} from './names.ts';
import { changeParameters, createParameters, putParameters } from './parameters.ts';
import { failureResponses, success } from './responses.ts';
import type { Operation, PathItem } from './types.ts';
import { newExample, patchExample } from './write-schemas.ts';
import {
  ACCESS,
  BYTES_PER_MIB,
  body,
  defaultsText,
  deletionText,
  movesText,
  PATCH_TYPES,
  writeScopeText,
} from './write-texts.ts';

function createOperation(resource: CompleteResource): Operation {
  return {
    operationId: createOperationId(resource),
    tags: [resource.name],
    summary: `Create ${oneOf(resource)}`,
    description: `Creates ${oneOf(resource)} and returns it as lists show it. ${ACCESS} ${writeScopeText(resource)}`,
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

function putOperation(resource: CompleteResource): Operation {
  const { singular, immutable } = resource;
  const replaces = immutable
    ? `${capitalized(oneOf(resource))} never changes: if it exists with other values, the request is refused with \`conflict\`.`
    : `If it exists, it is replaced.${defaultsText(resource)}${movesText(resource)}`;
  const answer = { schema: resource.type, example: recordExample(resource), links: recordLinks(resource) };
  return {
    operationId: putOperationId(resource),
    tags: [resource.name],
    summary: immutable
      ? `Create ${oneOf(resource)} with your own id`
      : `Create or replace ${oneOf(resource)}`,
    description: `Creates the ${singular} with your own id. ${replaces} The same request again changes nothing. ${ACCESS} ${writeScopeText(resource)}`,
    parameters: putParameters(resource),
    requestBody: body(`The whole ${singular}.`, wholeSchemaName(resource), newExample(resource)),
    responses: {
      200: success(
        { ...answer, description: `The ${singular} existed; this is how it is now.` },
        REPLACED_HEADERS,
      ),
      201: success({ ...answer, description: `The new ${singular}.` }, CREATED_HEADERS),
      ...failureResponses(putFailures(resource)),
    },
  };
}

const updateOperation = (resource: CompleteResource): Operation => ({
  operationId: updateOperationId(resource),
  tags: [resource.name],
  summary: `Change ${oneOf(resource)}`,
  description: `Changes the given fields (JSON merge patch, RFC 7396) and returns the whole ${resource.singular}.${movesText(resource)} ${ACCESS} ${writeScopeText(resource)}`,
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
  description: `Deletes the ${resource.singular} permanently.${deletionText(resource)} ${ACCESS} ${writeScopeText(resource)}`,
  parameters: changeParameters(resource),
  responses: {
    204: { description: `The ${resource.singular} is deleted. No body.`, headers: DRY_RUN_HEADERS },
    ...failureResponses(deleteFailures(resource)),
  },
});

const EMPTY = { '': {}, '/batch': {}, '/batch/delete': {}, '/{id}': {} } as const;

/** The write operations of a resource, by the rest of their path after that of the resource. */
export function writeOperations(resource: CompleteResource): Readonly<Record<keyof typeof EMPTY, PathItem>> {
  if (!resource.writable) return EMPTY;
  const created = {
    ...EMPTY,
    '': { post: createOperation(resource) },
    '/batch': { post: createBatchOperation(resource) },
    '/{id}': { put: putOperation(resource) },
  };
  if (resource.immutable) return created;
  return {
    ...created,
    '/batch': { ...created['/batch'], patch: updateBatchOperation(resource) },
    '/batch/delete': { post: deleteBatchOperation(resource) },
    '/{id}': {
      ...created['/{id}'],
      patch: updateOperation(resource),
      delete: deleteOperation(resource),
    },
  };
}
