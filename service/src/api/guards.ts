import { BATCH_MAX_RECORDS, type WriteMode } from '@svc/sdk/contract';
import type { FastifyRequest } from 'fastify';
import { ApiError, type FieldFailure, INVALID_BODY_FAILURES_MAX, invalidBody } from '../http/errors.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { findInvalidParameter, isQueryFailure, type QueryFailure } from '../list/query.ts';
import type { RecordInput } from '../records/row.ts';
import { pointerTo, validateRecord } from '../records/validate.ts';
import type { Resource } from '../resources/define.ts';

/** What a route requires of its request: a key, its rights, parameters and a body. Each guard throws the refusal. */

export function requireKey({ caller }: Pick<FastifyRequest, 'caller'>): AuthenticatedKey {
  if (caller === null) throw new Error('A /v1 route ran without authentication.');
  return caller.key;
}

/** The key of a request that reads a resource. */
export function requireReadable(request: FastifyRequest, resource: Resource): AuthenticatedKey {
  const key = requireKey(request);
  if (resource.company === null && key.companyId !== null) {
    throw new ApiError(
      'insufficient_scope',
      `A key that is limited to one company cannot read ${resource.path}.`,
    );
  }
  return key;
}

/** The key of a request that writes. Such a request takes no query parameters. */
export function requireWriteAccess(request: FastifyRequest): AuthenticatedKey {
  const key = requireKey(request);
  if (key.access !== 'write') throw new ApiError('insufficient_scope', 'This key may only read.');
  allowParameters(request.query, []);
  return key;
}

/** Refuses query parameters that are not allowed, and repeated ones. */
export function allowParameters(query: unknown, allowed: readonly string[]): void {
  const failure = findInvalidParameter({ ...Object(query) }, allowed);
  if (failure !== undefined) throw new ApiError('invalid_parameter', failure.message);
}

/** The parsed query, or the refusal that names the parameter. */
export function orInvalidParameter<T extends object>(result: T | QueryFailure): T {
  if (isQueryFailure(result)) throw new ApiError('invalid_parameter', result.message);
  return result;
}

/** The record in a body. */
export function requireRecord(resource: Resource, body: unknown, mode: WriteMode): RecordInput {
  const result = validateRecord(resource, body, mode);
  if (result.ok) return result.input;
  throw invalidBody(result.failures);
}

/** The records in the body of a batch, `{"data": […]}`. The pointer of a failure begins with the index of its record. */
export function requireBatch(resource: Resource, body: unknown): readonly RecordInput[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (!Array.isArray(data) || data.length === 0 || data.length > BATCH_MAX_RECORDS) {
    throw invalidBody([{ field: '/data', reason: `must be an array of 1 to ${BATCH_MAX_RECORDS} records` }]);
  }
  const unknown = Object.keys(body ?? {}).find((name) => name !== 'data');
  if (unknown !== undefined)
    throw invalidBody([{ field: pointerTo(unknown), reason: 'is not a field here; allowed: data' }]);
  const failures: FieldFailure[] = [];
  const inputs: RecordInput[] = [];
  for (const [index, value] of data.entries()) {
    const result = validateRecord(resource, value, 'create');
    if (result.ok) inputs.push(result.input);
    else
      for (const { field, reason } of result.failures)
        failures.push({ field: `/data/${index}${field}`, reason });
    if (failures.length > INVALID_BODY_FAILURES_MAX) break;
  }
  if (failures.length > 0) throw invalidBody(failures);
  return inputs;
}
