import type { FastifyInstance, FastifyReply } from 'fastify';
import type pg from 'pg';
import { BATCH_BODY_MAX_BYTES } from '../config/limits.ts';
import { strongEtag } from '../http/etag.ts';
import {
  createRecords,
  patchRecord,
  refuseOtherCompanies,
  removeRecord,
  type WriteResult,
} from '../records/mutations.ts';
import type { Resource } from '../resources/define.ts';
import { answerOf, type BatchRecipe, batchText, recipeOf } from './batch-answer.ts';
import { requireWriteAccess } from './guards.ts';
import { batchBody, recordBody } from './write-body.ts';
import { runWrite, type WriteAnswer, type Writer } from './write-transaction.ts';

interface Route {
  Querystring: Record<string, unknown>;
  Params: { id: string };
}

const CREATED = 201;

/** The write routes of one resource, derived from its declaration; paths are relative to /v1. */
export function registerWrites(v1: FastifyInstance, resource: Resource, writer: Writer): void {
  const { name, path } = resource;

  v1.post<Route>(`/${name}`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const inputs = [recordBody(resource, request.body, 'create')];
    refuseOtherCompanies(resource, key, inputs);
    const answer = await runWrite(request, reply, key, writer, async (client) => {
      const [created] = await createRecords(client, resource, key, inputs, writer.clock(), () => '');
      if (created === undefined) throw new Error('A record was neither created nor refused.');
      const headers = { location: `${path}/${created.id}`, etag: strongEtag(created.doc) };
      return { answer: { status: CREATED, headers, body: created.doc }, recordIds: [created.id] };
    });
    return send(reply, answer);
  });

  v1.post<Route>(`/${name}/batch`, { bodyLimit: BATCH_BODY_MAX_BYTES }, async (request, reply) => {
    const key = requireWriteAccess(request);
    const inputs = batchBody(resource, request.body);
    refuseOtherCompanies(resource, key, inputs);
    const nowMs = writer.clock();
    const create = async (client: pg.PoolClient): Promise<WriteResult> => {
      const created = await createRecords(client, resource, key, inputs, nowMs, (index) => `/data/${index}`);
      const body = batchText(created.map(({ doc }) => doc));
      const recipe = recipeOf(inputs, created, nowMs);
      const recordIds = created.map(({ id }) => id);
      return { answer: { status: CREATED, headers: {}, body }, recordIds, recipe };
    };
    const answer = await runWrite(request, reply, key, writer, create, (recipe) =>
      answerOf(resource, inputs, recipe as BatchRecipe),
    );
    return send(reply, answer);
  });

  if (resource.immutable) return;

  v1.patch<Route>(`/${name}/:id`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const patch = recordBody(resource, request.body, 'patch');
    const answer = await runWrite(request, reply, key, writer, (client) =>
      patchRecord(client, resource, key, request.params.id, patch, request.headers['if-match']),
    );
    return send(reply, answer);
  });

  v1.delete<Route>(`/${name}/:id`, async (request, reply) => {
    const key = requireWriteAccess(request);
    const answer = await runWrite(request, reply, key, writer, (client) =>
      removeRecord(client, resource, key, request.params.id, request.headers['if-match']),
    );
    return send(reply, answer);
  });
}

function send(reply: FastifyReply, { status, headers, body, replayed, dryRun }: WriteAnswer): FastifyReply {
  reply.code(status).headers({ ...headers, 'cache-control': 'no-store' });
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (dryRun) reply.header('dry-run', 'true');
  return body === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(body);
}
