import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { findInvalidParameter, isQueryFailure, type ListQuery, type QueryFailure } from '../list/query.ts';
import type { Resource } from '../resources/define.ts';

/** What a route may ask of its request: the key, what that key may do, and that its parameters are right. */

export function requireKey({ key }: FastifyRequest): AuthenticatedKey {
  if (key === null) throw new Error('A /v1 route ran without authentication.');
  return key;
}

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

/** The key of a write, which takes no query parameters. */
export function requireWriteAccess(request: FastifyRequest): AuthenticatedKey {
  const key = requireKey(request);
  if (key.access !== 'write') throw new ApiError('insufficient_scope', 'This key may only read.');
  requireNoParameters(request);
  return key;
}

export function requireNoParameters(request: FastifyRequest): void {
  const query: unknown = request.query;
  refuse(findInvalidParameter(typeof query === 'object' && query !== null ? { ...query } : {}, []));
}

export function requireOwnCompany(key: AuthenticatedKey, { filters }: ListQuery): void {
  const { companyId } = filters;
  if (key.companyId !== null && companyId !== undefined && companyId !== key.companyId) {
    throw new ApiError('insufficient_scope', 'This key is limited to another company than "companyId".');
  }
}

export function orInvalidParameter<T extends object>(result: T | QueryFailure): T {
  if (isQueryFailure(result)) throw new ApiError('invalid_parameter', result.message);
  return result;
}

export function refuse(failure: QueryFailure | undefined): void {
  if (failure !== undefined) throw new ApiError('invalid_parameter', failure.message);
}
