import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Resource } from '../declaration/resource.ts';
import { sendConditional } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import type { CursorFailure } from '../list/cursor.ts';
import {
  isQueryFailure,
  type ListQuery,
  parseListQuery,
  type QueryFailure,
  unknownOrRepeated,
} from '../list/query.ts';
import { type ListReader, readList } from '../list/read.ts';
import { readCount } from './count.ts';
import { RESOURCES } from './index.ts';
import { readRecord } from './record.ts';

const CURSOR_MESSAGES: Readonly<Record<CursorFailure, string>> = {
  invalid: '"cursor" is not a cursor of this workspace. Restart the iteration without a cursor.',
  expired: '"cursor" is older than 24 hours. Restart the iteration without a cursor.',
  mismatch:
    '"cursor" was issued for another list, filter set or sort. Restart the iteration without a cursor.',
};
const CURSOR_CODES = {
  invalid: 'invalid_cursor',
  expired: 'cursor_expired',
  mismatch: 'cursor_mismatch',
} as const;

/** Why a cursor cannot be used, as an answer; the same wherever a list is read. */
export const cursorFailure = (failure: CursorFailure): ApiError =>
  new ApiError(CURSOR_CODES[failure], CURSOR_MESSAGES[failure]);

/** The read routes of every resource, derived from the declarations; paths are relative to /v1. */
export function registerResources(v1: FastifyInstance, reader: ListReader): void {
  for (const resource of RESOURCES) {
    v1.get<{ Querystring: Record<string, unknown> }>(`/${resource.name}`, async (request, reply) => {
      const key = keyFor(request, resource);
      const query = valid(parseListQuery(resource.list, request.query));
      refuseOtherCompany(key, query);
      const answer = await readList(reader, resource.list, query, key);
      if (typeof answer === 'string') throw cursorFailure(answer);
      return sendConditional(request, reply, answer.body, answer.etag);
    });
    v1.get<{ Querystring: Record<string, unknown>; Params: { id: string } }>(
      `/${resource.name}/:id`,
      async (request, reply) => {
        const key = keyFor(request, resource);
        refuse(unknownOrRepeated(request.query, []));
        const record = await readRecord(reader.pool, resource, key, request.params.id);
        if (record === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
        return sendConditional(request, reply, record.doc, record.etag);
      },
    );
  }
  v1.get<{ Querystring: Record<string, unknown> }>('/audits/count', async (request, reply) => {
    const key = authenticated(request);
    refuse(unknownOrRepeated(request.query, ['approximate']));
    const { approximate = 'false' } = request.query;
    if (approximate !== 'true' && approximate !== 'false') {
      throw new ApiError('invalid_parameter', '"approximate" must be true or false.');
    }
    return reply.send(await readCount(reader.pool, key, approximate === 'true'));
  });
}

function authenticated({ key }: FastifyRequest): AuthenticatedKey {
  if (key === null) throw new Error('A /v1 route ran without authentication.');
  return key;
}

function keyFor(request: FastifyRequest, resource: Resource): AuthenticatedKey {
  const key = authenticated(request);
  if (resource.company === null && key.companyId !== null) {
    throw new ApiError(
      'insufficient_scope',
      `A key that is limited to one company cannot read ${resource.path}.`,
    );
  }
  return key;
}

function refuseOtherCompany(key: AuthenticatedKey, { filters }: ListQuery): void {
  const { companyId } = filters;
  if (key.companyId !== null && companyId !== undefined && companyId !== key.companyId) {
    throw new ApiError('insufficient_scope', 'This key is limited to another company than "companyId".');
  }
}

function valid<T extends object>(result: T | QueryFailure): T {
  if (isQueryFailure(result)) throw new ApiError('invalid_parameter', result.message);
  return result;
}

function refuse(failure: QueryFailure | undefined): void {
  if (failure !== undefined) throw new ApiError('invalid_parameter', failure.message);
}
