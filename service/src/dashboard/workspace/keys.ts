import { CONTRACT } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, emptyBody, idOrNull, name, oneOf } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { type Access, confirmRole } from '../requests/session.ts';
import { KEYS, keyIdOf, noKey, type OneKey } from './key-reads.ts';
import { parsedSettings, SETTINGS } from './key-settings.ts';
import type { ChangedKey } from './key-wire.ts';

const create = defineBody({
  name,
  mode: oneOf(CONTRACT.apiKeys.fields.mode.values),
  access: oneOf(CONTRACT.apiKeys.fields.access.values),
  companyId: idOrNull,
  ...SETTINGS,
  replaces: Type.Optional(idOrNull),
});
const change = defineBody({ name: Type.Optional(name), ...SETTINGS });

/**
 * The only endpoints that create or change keys, and the only responses that hold a token (specification, 5.6 to
 * 5.8). Once the response has left, no node accepts the old token (docs/decisions/0002).
 */
export function registerKeys(api: FastifyInstance, context: DashboardContext): void {
  const { sessions, keys, signals, clock } = context;
  api.post(KEYS, CREATES, async (request, reply) => {
    const access = await sessions.member(request, reply, 'key.manage');
    const { workspaceId, person, by } = access;
    const { allowedNetworks, expiresAt, ...rest } = create(request.body);
    const key = { ...rest, ...parsedSettings({ allowedNetworks, expiresAt }, clock()) };
    const created = await keys.createOnce(workspaceId, key, by, repeatsOf(request, person), confirm(access));
    if (created === 'no_company') {
      throw new ApiError(
        'invalid_body',
        '"companyId" must be the id of a company of this workspace, or null.',
      );
    }
    if (created === 'no_replaced_key')
      throw new ApiError('invalid_body', '"replaces" must be the id of a key of this workspace, or null.');
    signals.announce(workspaceId);
    return reply.code(created.token === null ? 200 : 201).send(created);
  });

  api.patch<OneKey>(`${KEYS}/:keyId`, async (request, reply): Promise<ChangedKey> => {
    const access = await sessions.member(request, reply, 'key.manage');
    const { allowedNetworks, expiresAt, ...rest } = change(request.body);
    const settings = { ...rest, ...parsedSettings({ allowedNetworks, expiresAt }, clock()) };
    const { workspaceId, by } = access;
    const key = orRefused(await keys.change(workspaceId, keyIdOf(request), settings, by, confirm(access)));
    signals.announceKeys(workspaceId);
    return { key };
  });

  for (const [action, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    api.post<OneKey>(`${KEYS}/:keyId/${action}`, async (request, reply): Promise<ChangedKey> => {
      const access = await sessions.member(request, reply, 'key.manage');
      emptyBody(request.body);
      const { workspaceId, by } = access;
      const key = orRefused(await keys.setPaused(workspaceId, keyIdOf(request), paused, by, confirm(access)));
      signals.announceKeys(workspaceId);
      return { key };
    });
  }

  api.post<OneKey>(`${KEYS}/:keyId/rotate`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'key.manage');
    emptyBody(request.body);
    const issued = await keys.rotate(access.workspaceId, keyIdOf(request), access.by, confirm(access));
    const shown = orRefused(issued);
    signals.announceKeys(access.workspaceId);
    return reply.send(shown);
  });

  api.post<OneKey>(`${KEYS}/:keyId/revoke`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'key.manage');
    emptyBody(request.body);
    const key = await keys.revoke(access.workspaceId, keyIdOf(request), access.by, confirm(access));
    if (key === 'not_found') throw noKey();
    signals.announceKeys(access.workspaceId);
    return reply.send({ key });
  });
}

const confirm = (access: Access) => (client: pg.ClientBase) => confirmRole(client, access);

/** The result of a change. Throws the refusal. */
function orRefused<T extends object>(result: T | 'not_found' | 'revoked'): T {
  if (result === 'not_found') throw noKey();
  if (result === 'revoked') throw new ApiError('conflict', 'This key is revoked. Create a new key.');
  return result;
}
