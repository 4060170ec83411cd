import type { FastifyInstance } from 'fastify';
import { sendConditional } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import type { CursorFailure } from '../list/cursor.ts';
import { findInvalidParameter, parseListQuery } from '../list/query.ts';
import { type ListReader, readList } from '../list/read.ts';
import { type CountReader, readCount } from '../records/count.ts';
import { readRecord } from '../records/read.ts';
import type { Resource } from '../resources/define.ts';
import {
  orInvalidParameter,
  refuse,
  requireKey,
  requireNoParameters,
  requireOwnCompany,
  requireReadable,
} from './guards.ts';
import type { Writer } from './write-transaction.ts';
import { registerWrites } from './writes.ts';

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

/** The routes of every resource, derived from the declarations; paths are relative to /v1. */
export function registerResources(
  v1: FastifyInstance,
  resources: readonly Resource[],
  reader: ListReader & CountReader & Writer,
): void {
  for (const resource of resources) {
    v1.get<{ Querystring: Record<string, unknown> }>(`/${resource.name}`, async (request, reply) => {
      const key = requireReadable(request, resource);
      const query = orInvalidParameter(parseListQuery(resource.list, request.query));
      requireOwnCompany(key, query);
      const answer = await readList(reader, resource.list, query, key);
      if (typeof answer === 'string') throw cursorFailure(answer);
      return sendConditional(request, reply, answer.body, answer.etag);
    });
    v1.get<{ Querystring: Record<string, unknown>; Params: { id: string } }>(
      `/${resource.name}/:id`,
      async (request, reply) => {
        const key = requireReadable(request, resource);
        requireNoParameters(request);
        if (request.params.id === 'count') throw new ApiError('not_found', `${resource.path} has no count.`);
        const record = await readRecord(reader.reads.of(key.workspaceId), resource, key, request.params.id);
        if (record === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
        return sendConditional(request, reply, record.doc, record.etag);
      },
    );
    if (resource.writable) registerWrites(v1, resource, reader);
  }
  v1.get<{ Querystring: Record<string, unknown> }>('/audits/count', async (request, reply) => {
    const key = requireKey(request);
    refuse(findInvalidParameter(request.query, ['approximate']));
    const { approximate = 'false' } = request.query;
    if (approximate !== 'true' && approximate !== 'false') {
      throw new ApiError('invalid_parameter', '"approximate" must be true or false.');
    }
    return reply.send(await readCount(reader, key, approximate === 'true'));
  });
}
