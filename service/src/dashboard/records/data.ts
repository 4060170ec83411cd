import type { FastifyInstance } from 'fastify';
import { requireRecord } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import { patchRecord } from '../../records/mutations.ts';
import { readRecord } from '../../records/read.ts';
import type { Resource } from '../../resources/define.ts';
import type { DashboardContext } from '../context.ts';
import { confirmRole } from '../requests/session.ts';
import { RECORD_RESOURCES } from './resource-shapes.ts';

type List = { Querystring: Record<string, unknown>; Params: { resource: string } };
type One = { Params: { resource: string; recordId: string } };

const DATA = '/workspaces/:workspaceId/data/:resource';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The workspace's records for its members: the same lists and single records as the API has, and the same change of one,
 * which the audit log tells with the person's name.
 */
export function registerData(api: FastifyInstance, { pool, sessions, reader }: DashboardContext): void {
  api.get<List>(DATA, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const { list } = resourceOf(request.params);
    const page = await readPage(reader, list, request.query, { workspaceId, companyId: null });
    return reply.type(JSON_TYPE).send(page.body);
  });

  api.get<One>(`${DATA}/:recordId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const resource = resourceOf(request.params);
    const scope = { workspaceId, companyId: null };
    const record = await readRecord(pool, resource, scope, request.params.recordId);
    if (record === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
    return reply.header('etag', record.etag).type(JSON_TYPE).send(record.doc);
  });

  api.patch<One>(`${DATA}/:recordId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const { workspaceId, by } = access;
    const resource = resourceOf(request.params);
    if (resource.immutable) {
      throw new ApiError('method_not_allowed', `An ${resource.singular} stays as it is.`, { allow: 'GET' });
    }
    const patch = requireRecord(resource, request.body, 'patch');
    const { recordId } = request.params;
    const ifMatch = request.headers['if-match'];
    const scope = { workspaceId, companyId: null };
    const { answer } = await inTransaction(pool, async (client) => {
      await confirmRole(client, access, 'record.change');
      const result = await patchRecord(client, resource, scope, recordId, patch, ifMatch);
      if (result.recordIds.length > 0) {
        await appendEvent(client, workspaceId, by, {
          kind: 'record.changed',
          target: { id: recordId, label: labelOf(result.answer.body) },
          changes: result.changed.map((field) => ({ field })),
          resource: resource.name,
          recordIds: result.recordIds,
        });
      }
      return result;
    });
    return reply.code(answer.status).headers(answer.headers).type(JSON_TYPE).send(answer.body);
  });
}

/** What people know a record by. */
function labelOf(doc: string): string {
  const { id, name, title } = JSON.parse(doc) as Readonly<Record<string, unknown>>;
  return String(name ?? title ?? id);
}

export function resourceOf({ resource }: { readonly resource: string }): Resource {
  const found = RECORD_RESOURCES.find(({ name }) => name === resource);
  if (found === undefined) throw new ApiError('not_found', 'There is no such path.');
  return found;
}
