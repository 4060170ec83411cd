import { capitalized, oneOf } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { NewEvent } from '../../audit-log/entry.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import { patchBatch, removeBatch } from '../../records/batch/change.ts';
import { complete, createRecord, type RecordWrite, type WriteResult } from '../../records/create.ts';
import { aboutRecords } from '../../records/entry-fields.ts';
import { patchRecord, removeRecord } from '../../records/mutations.ts';
import { readRecord } from '../../records/read.ts';
import type { Resource } from '../../resources/define.ts';
import type { DashboardContext } from '../context.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { type Access, confirmRole } from '../requests/session.ts';
import { DATA, type One, resourceOf } from './data.ts';

type List = { Params: { resource: string } };

/**
 * The writes of people to records: the writes of the API, in a transaction that also confirms the role and appends an audit
 * entry about the person. A write that changes nothing has no entry.
 */
export function registerRecordWrites(
  api: FastifyInstance,
  { pool, sessions, signals }: DashboardContext,
): void {
  const write = async <Result extends WriteResult>(
    access: Access,
    recordWrite: RecordWrite<Result>,
    eventOf: (result: Result) => NewEvent,
  ): Promise<Result> => {
    const { workspaceId, by } = access;
    const result = await inTransaction(pool, async (client) => {
      await confirmRole(client, access);
      const written = await complete(recordWrite, client);
      if (written.recordIds.length > 0) await appendEvent(client, workspaceId, by, eventOf(written));
      return written;
    });
    signals.announce(workspaceId);
    return result;
  };

  api.post<List>(DATA, CREATES, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const resource = resourceOf(request.params);
    const scope = scopeOf(access);
    const creation = createRecord(resource, scope, request.body);
    const repeats = repeatsOf(request, access.person);
    const { answer } = await write<WriteResult>(
      access,
      {
        start: async (client) => {
          const known = await repeats.find(client);
          if (known !== undefined)
            return { result: await createdBefore(client, resource, scope, known), finish: () => [] };
          const { result, finish } = await creation.start(client);
          return {
            result,
            finish: () => [...finish(), ...result.recordIds.map((id) => repeats.keep(client, id))],
          };
        },
      },
      (created) => ({ kind: 'record.created', ...aboutRecord(resource, created, created.answer.body) }),
    );
    // Its location is that of the API, which a session cannot read.
    const { etag } = answer.headers;
    return reply.code(answer.status).headers({ etag }).type(JSON_UTF8).send(answer.body);
  });

  api.patch<One>(`${DATA}/:recordId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const resource = changeableOf(request.params);
    const { recordId } = request.params;
    const ifMatch = request.headers['if-match'];
    const patch = patchRecord(resource, scopeOf(access), recordId, request.body, { ifMatch });
    const { answer } = await write(access, patch, (patched) => ({
      kind: 'record.changed',
      ...aboutRecord(resource, patched, patched.answer.body),
      changes: patched.changed.map((field) => ({ field })),
    }));
    return reply.code(answer.status).headers(answer.headers).type(JSON_UTF8).send(answer.body);
  });

  api.delete<One>(`${DATA}/:recordId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const resource = changeableOf(request.params);
    const ifMatch = request.headers['if-match'];
    const removal = removeRecord(resource, scopeOf(access), request.params.recordId, { ifMatch });
    const { answer } = await write(access, removal, (removed) => ({
      kind: 'record.deleted',
      ...aboutRecord(resource, removed, removed.doc),
    }));
    return reply.code(answer.status).send();
  });

  api.patch<List>(`${DATA}/batch`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const resource = changeableOf(request.params);
    const patches = patchBatch(resource, scopeOf(access), request.body);
    const { answer } = await write(access, patches, (patched) => ({
      kind: 'records.changed',
      ...aboutRecords(resource, patched.recordIds),
      changes: patched.changed.map((field) => ({ field })),
    }));
    return reply.code(answer.status).type(JSON_UTF8).send(answer.body);
  });

  api.post<List>(`${DATA}/batch/delete`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'record.change');
    const resource = changeableOf(request.params);
    const removal = removeBatch(resource, scopeOf(access), request.body);
    const { answer } = await write(access, removal, (removed) => ({
      kind: 'records.deleted',
      ...aboutRecords(resource, removed.recordIds),
    }));
    return reply.code(answer.status).send();
  });
}

const scopeOf = ({ workspaceId }: Access) => ({ workspaceId, companyId: null });

/** The resource of the path. Throws `method_not_allowed` if its records never change. */
function changeableOf(params: { readonly resource: string }): Resource {
  const resource = resourceOf(params);
  if (!resource.immutable) return resource;
  throw new ApiError('method_not_allowed', `${capitalized(oneOf(resource))} cannot be changed or deleted.`, {
    allow: 'GET',
  });
}

/** The answer to a repeated creation: the record as it is now. Throws `not_found` if it was deleted since. */
async function createdBefore(
  client: pg.ClientBase,
  resource: Resource,
  scope: ReturnType<typeof scopeOf>,
  id: string,
): Promise<WriteResult> {
  const record = await readRecord(client, resource, scope, id);
  if (record === undefined) {
    throw new ApiError(
      'not_found',
      `The ${resource.singular} ${id} was created by this form, and deleted since.`,
    );
  }
  return { answer: { status: 200, headers: { etag: record.etag }, body: record.doc }, recordIds: [] };
}

/** The fields of an entry about one record. `doc`: its stored JSON. */
const aboutRecord = ({ name }: Resource, { recordIds }: WriteResult, doc: string) => ({
  target: targetOf(doc),
  resource: name,
  recordIds,
});

/** A record, with its name for people. */
function targetOf(doc: string): { readonly id: string; readonly label: string } {
  const { id, name, title } = JSON.parse(doc) as Readonly<Record<string, unknown>>;
  return { id: String(id), label: String(name ?? title ?? id) };
}
