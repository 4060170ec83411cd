import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { findInvalidParameter, isQueryFailure, type QueryFailure } from '../list/query.ts';
import type { Resource } from '../resources/define.ts';

/** What a route requires of its request: a key, its rights and its parameters. Each guard throws the refusal. */

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

/** The key of a request that writes. Such a request has no query parameters. */
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
