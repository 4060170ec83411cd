import { BATCH_BODY_MAX_BYTES } from '@svc/sdk/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../config/time.ts';
import { strongEtag } from '../http/etag.ts';
import { createRecords, refuseOtherCompanies } from '../records/insert.ts';
import { patchRecord, removeRecord } from '../records/mutations.ts';
import type { Resource } from '../resources/define.ts';
import { sendAudited } from './audit-hook.ts';
import { answerOf, type BatchRecipe, batchText, recipeOf } from './batch-answer.ts';
import { requireBatch, requireRecord, requireWriteAccess } from './guards.ts';
import { runWrite, type Writer, type Written } from './write-transaction.ts';

interface Route {
  Querystring: Record<string, unknown>;
  Params: { id: string };
}

const CREATED = 201;

/** The write routes of one resource; paths are relative to /v1. */
export function registerWrites(
  v1: FastifyInstance,
  resource: Resource,
  writer: Writer & { readonly clock: Clock },
): void {
  const { name, path } = resource;

  v1.post<Route>(`/${name}`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const inputs = [requireRecord(resource, request.body, 'create')];
    refuseOtherCompanies(resource, key, inputs);
    const written = await runWrite(writer, request, reply, {
      key,
      work: async (client) => {
        const [created] = await createRecords(client, resource, key, inputs, writer.clock(), () => '');
        if (created === undefined) throw new Error('A record was neither created nor refused.');
        const headers = { location: `${path}/${created.id}`, etag: strongEtag(created.doc) };
        return { answer: { status: CREATED, headers, body: created.doc }, recordIds: [created.id] };
      },
    });
    return send(reply, written);
  });

  v1.post<Route>(`/${name}/batch`, { bodyLimit: BATCH_BODY_MAX_BYTES }, async (request, reply) => {
    const key = requireWriteAccess(request);
    const inputs = requireBatch(resource, request.body);
    refuseOtherCompanies(resource, key, inputs);
    const nowMs = writer.clock();
    const written = await runWrite(writer, request, reply, {
      key,
      work: async (client) => {
        const at = (index: number): string => `/data/${index}`;
        const created = await createRecords(client, resource, key, inputs, nowMs, at);
        const body = batchText(created.map(({ doc }) => doc));
        const recordIds = created.map(({ id }) => id);
        const recipe = recipeOf(inputs, created, nowMs);
        return { answer: { status: CREATED, headers: {}, body }, recordIds, recipe };
      },
      bodyOf: (recipe) => answerOf(resource, inputs, recipe as BatchRecipe),
    });
    return send(reply, written);
  });

  if (resource.immutable) return;

  v1.patch<Route>(`/${name}/:id`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const patch = requireRecord(resource, request.body, 'patch');
    const ifMatch = request.headers['if-match'];
    const written = await runWrite(writer, request, reply, {
      key,
      work: (client) => patchRecord(client, resource, key, request.params.id, patch, ifMatch),
    });
    return send(reply, written);
  });

  v1.delete<Route>(`/${name}/:id`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const ifMatch = request.headers['if-match'];
    const written = await runWrite(writer, request, reply, {
      key,
      work: (client) => removeRecord(client, resource, key, request.params.id, ifMatch),
    });
    return send(reply, written);
  });
}

function send(reply: FastifyReply, written: Written): FastifyReply {
  const { status, headers, body } = written.answer;
  reply.code(status).headers({ ...headers, 'cache-control': 'no-store' });
  if (body !== '') reply.type('application/json; charset=utf-8');
  if (written.dryRun) return reply.header('dry-run', 'true').send(body || undefined);
  if (written.replayed) reply.header('idempotent-replayed', 'true');
  return sendAudited(reply, body, written.quota);
}
