import { isId } from '@svc/sdk/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { readPage } from '../../api/reads.ts';
import { ApiError } from '../../http/errors.ts';
import { apiKeys } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, idOrNull, name, oneOf } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { confirmRole } from '../requests/session.ts';

const create = defineBody({
  name,
  mode: oneOf(['live', 'test']),
  access: oneOf(['read', 'write']),
  companyId: idOrNull,
});
const nothing = defineBody({});

type OneKey = { Params: { keyId: string } };
const KEYS = '/workspaces/:workspaceId/keys';

/**
 * Keys: the only place where one is made, rotated or revoked, and the only answers that hold a token (specification,
 * 5.6 to 5.8). When the answer has left, no node accepts the old value any more (docs/decisions/0002).
 */
export function registerKeys(api: FastifyInstance, { sessions, keys, reader }: DashboardContext): void {
  const manager = async (request: FastifyRequest, reply: FastifyReply) => {
    const access = await sessions.member(request, reply, 'key.manage');
    return { ...access, confirm: (client: pg.ClientBase) => confirmRole(client, access, 'key.manage') };
  };

  api.get<{ Querystring: Record<string, unknown> }>(KEYS, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const page = await readPage(reader, apiKeys.list, request.query, { workspaceId, companyId: null });
    return reply.type('application/json; charset=utf-8').send(page.body);
  });

  api.post(KEYS, CREATES, async (request, reply) => {
    const { workspaceId, person, by, confirm } = await manager(request, reply);
    const key = create(request.body);
    const created = await keys.createOnce(workspaceId, key, by, repeatsOf(request, person), confirm);
    if (created === 'no_company') {
      throw new ApiError('invalid_body', '"companyId" must be a company of this workspace, or null.');
    }
    return reply.code(created.token === null ? 200 : 201).send(created);
  });

  api.post<OneKey>(`${KEYS}/:keyId/rotate`, async (request, reply) => {
    const { workspaceId, by, confirm } = await manager(request, reply);
    nothing(request.body);
    const issued = await keys.rotate(workspaceId, keyIdOf(request), by, confirm);
    if (issued === 'not_found') throw noKey();
    if (issued === 'revoked') throw new ApiError('conflict', 'This key is revoked; create a new one.');
    return reply.send(issued);
  });

  api.post<OneKey>(`${KEYS}/:keyId/revoke`, async (request, reply) => {
    const { workspaceId, by, confirm } = await manager(request, reply);
    nothing(request.body);
    const key = await keys.revoke(workspaceId, keyIdOf(request), by, confirm);
    if (key === 'not_found') throw noKey();
    return reply.send({ key });
  });
}

function keyIdOf({ params: { keyId } }: { readonly params: { readonly keyId: string } }): string {
  if (!isId(keyId)) throw noKey();
  return keyId;
}

const noKey = (): ApiError => new ApiError('not_found', 'There is no such API key.');
