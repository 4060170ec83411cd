import type { CursorFailure } from '@svc/deployment-secrets/cursors';
import { sendConditional, weakEtag } from '@svc/http-content/etag';
import { type AnyErrorCode, FIELDS } from '@svc/sdk/contract';
import { traced, tracedReader } from '@svc/telemetry/tracing';
import type { Shares } from '@svc/turns/lane';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { ListDefinition } from '../list/definition.ts';
import { type Fields, selectFields } from '../list/fields.ts';
import { type ListQuery, parseFields, parseListQuery, type RawQuery } from '../list/query.ts';
import { type ListAnswer, type ListReader, readList, type Scope } from '../list/read.ts';
import { type RecordAnswer, readCount, readRecord } from '../records/read.ts';
import type { Resource } from '../resources/define.ts';
import { allowParameters, orInvalidParameter, requireKey, requireReadable } from './guards.ts';

type Query = { Querystring: Record<string, unknown> };
type One = Query & { Params: { id: string } };

/** `prepare` runs before each read of a workspace. */
type Reader = ListReader & { readonly prepare: ((workspaceId: string) => Promise<void>) | undefined };

/** The read routes of one resource; paths are relative to /v1. */
export function registerReads(v1: FastifyInstance, resource: Resource, reader: Reader): void {
  v1.get<Query>(`/${resource.name}`, async (request, reply) => {
    const key = requireReadable(request, resource);
    await reader.prepare?.(key.workspaceId);
    const page = await readPage(tracedReader(reader, request.span), resource.list, request.query, key);
    return sendConditional(request, reply, page.body, page.etag);
  });

  v1.get<One>(`/${resource.name}/:id`, async (request, reply) => {
    const key = requireReadable(request, resource);
    const fields = requireFields(request.query, resource);
    if (request.params.id === 'count') throw new ApiError('not_found', `${resource.path} has no count.`);
    await reader.prepare?.(key.workspaceId);
    const reads = traced(reader.reads, request.span).of(key.workspaceId);
    const record = await readRecord(reads, resource, key, request.params.id);
    if (record === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
    return sendRecord(request, reply, record, fields);
  });
}

/** The `fields` of a request for one record, its only parameter. Undefined: all. */
export function requireFields(query: Record<string, unknown>, { list }: Resource): Fields | undefined {
  allowParameters(query, [FIELDS]);
  const names = query[FIELDS];
  return names === undefined ? undefined : orInvalidParameter(parseFields(String(names), list.fields ?? []));
}

/** Sends one record, or some of its fields. Their ETag is weak: it is not that of the record, which If-Match needs. */
export function sendRecord(
  request: FastifyRequest,
  reply: FastifyReply,
  { doc, etag }: RecordAnswer,
  fields: Fields | undefined,
): FastifyReply | string {
  if (fields === undefined) return sendConditional(request, reply, () => doc, etag);
  const part = selectFields(doc, fields);
  return sendConditional(request, reply, () => part, weakEtag(part));
}

/** The count of one resource: `/v1/audits/count`. */
export function registerCount(v1: FastifyInstance, resource: Resource, reads: Shares): void {
  v1.get<Query>(`/${resource.name}/count`, async (request) => {
    const key = requireKey(request);
    allowParameters(request.query, ['approximate']);
    const { approximate = 'false' } = request.query;
    if (approximate !== 'true' && approximate !== 'false') {
      throw new ApiError('invalid_parameter', '"approximate" must be true or false.');
    }
    const connections = traced(reads, request.span).of(key.workspaceId);
    return readCount(connections, resource, key, approximate === 'true');
  });
}

/** One page of a list, as the query of a request asks for it. Throws the refusal of a parameter or of a cursor. */
export async function readPage(
  reader: ListReader,
  list: ListDefinition,
  rawQuery: RawQuery,
  scope: Scope,
): Promise<ListAnswer> {
  const query = orInvalidParameter(parseListQuery(list, rawQuery));
  requireOwnCompany(query, scope);
  const page = await readList(reader, list, query, scope);
  if (typeof page === 'string') throw new ApiError(...CURSOR_REFUSALS[page]);
  return page;
}

/** Refuses a filter by another company than that of the key. */
export function requireOwnCompany({ filters: { companyId } }: ListQuery, scope: Scope): void {
  if (scope.companyId !== null && companyId !== undefined && companyId !== scope.companyId) {
    throw new ApiError('insufficient_scope', 'This key is limited to another company than "companyId".');
  }
}

const CURSOR_REFUSALS: Readonly<Record<CursorFailure, readonly [AnyErrorCode, string]>> = {
  invalid: [
    'invalid_cursor',
    '"cursor" is not a cursor of this workspace. Restart the iteration without a cursor.',
  ],
  expired: ['cursor_expired', '"cursor" is older than 24 hours. Restart the iteration without a cursor.'],
  mismatch: [
    'cursor_mismatch',
    '"cursor" was issued for another list, filter set or sort. Restart the iteration without a cursor.',
  ],
};
