import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { NewEvent } from '../../audit-log/entry.ts';
import { newestPosition } from '../../changes/after.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import {
  createEndpoint,
  ENDPOINTS_MAX,
  type EndpointSettings,
  lockEndpointsOf,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type LockedEndpoint,
  readSecrets,
  updateEndpoint,
} from '../../webhooks/manage.ts';
import { listEndpoints } from '../../webhooks/records.ts';
import { failLeftOut } from '../../webhooks/replay.ts';
import type { CreatedEndpoint, WebhookEndpoint, WebhookSecrets } from '../../webhooks/wire.ts';
import type { DashboardContext } from '../context.ts';
import { emptyBody } from '../requests/body.ts';
import { CREATES, repeatsOf } from '../requests/creations.ts';
import { type Access, confirmRole } from '../requests/session.ts';
import {
  endpointIdOf,
  type OneEndpoint,
  requireEndpoint,
  targetOf,
  WEBHOOKS,
  withEndpoint,
} from './endpoint.ts';
import { changedSettings, changesOf, newSettings, requireCompany, requireReceiver } from './settings.ts';

/** The endpoints of webhooks, for owners and admins: only they see the URLs, which can contain a secret of the receiver. */
export function registerEndpoints(api: FastifyInstance, context: DashboardContext): void {
  const { sessions, pool, changes, signals } = context;
  const { sealer, receivers } = context.webhooks;

  api.get(WEBHOOKS, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    return { data: await listEndpoints(pool, workspaceId) };
  });

  api.post(WEBHOOKS, CREATES, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, person, by } = access;
    const settings = newSettings(request.body);
    requireReceiver(settings.url, receivers);
    const repeats = repeatsOf(request, person);
    const created = await inTransaction(pool, async (client): Promise<CreatedEndpoint> => {
      await lockEndpointsOf(client, workspaceId);
      await confirmRole(client, access);
      const known = await repeats.find(client);
      if (known !== undefined)
        return { endpoint: await requireEndpoint(client, workspaceId, known, deletedSince), secret: null };
      await requireCompany(client, workspaceId, settings.companyId);
      const position = await newestPosition(client, workspaceId);
      const endpoint = await createEndpoint(client, sealer, workspaceId, settings, position);
      if (endpoint === undefined)
        throw new ApiError('conflict', `A workspace can have at most ${ENDPOINTS_MAX} webhook endpoints.`);
      await repeats.keep(client, endpoint.id);
      const { types, companyId, ordered } = settings;
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.created',
        target: targetOf({ ...settings, id: endpoint.id }),
        details: { types: types?.join(', ') ?? null, companyId, ordered },
      });
      return {
        endpoint: await requireEndpoint(client, workspaceId, endpoint.id, notWritten),
        secret: endpoint.secret,
      };
    });
    return reply.code(created.secret === null ? 200 : 201).send(created);
  });

  api.get<OneEndpoint>(`${WEBHOOKS}/:endpointId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    return { endpoint: await requireEndpoint(pool, workspaceId, endpointIdOf(request)) };
  });

  api.patch<OneEndpoint>(`${WEBHOOKS}/:endpointId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { enabled, ...settings } = changedSettings(request.body);
    if (settings.url !== undefined) requireReceiver(settings.url, receivers);
    const endpoint = await changeEndpoint(pool, access, endpointIdOf(request), { enabled, settings });
    signals.announce(access.workspaceId);
    return { endpoint };
  });

  api.delete<OneEndpoint>(`${WEBHOOKS}/:endpointId`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    await withEndpoint(pool, access, endpointIdOf(request), async (client, endpoint) => {
      await deleteEndpoint(client, workspaceId, endpoint.id);
      await appendEvent(client, workspaceId, by, { kind: 'webhook.deleted', target: targetOf(endpoint) });
    });
    return reply.code(204).send();
  });

  /** Every time that somebody sees the secret is in the audit log. */
  api.get<OneEndpoint>(`${WEBHOOKS}/:endpointId/secret`, async (request, reply): Promise<WebhookSecrets> => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    return withEndpoint(changes, access, endpointIdOf(request), async (client, endpoint) => {
      const secrets = await readSecrets(client, sealer, workspaceId, endpoint.id);
      if (secrets === undefined) throw new ApiError('conflict', UNOPENED);
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.secret_shown',
        target: targetOf(endpoint),
      });
      return secrets;
    });
  });

  api.post<OneEndpoint>(`${WEBHOOKS}/:endpointId/rotate`, async (request, reply): Promise<WebhookSecrets> => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    emptyBody(request.body);
    return withEndpoint(pool, access, endpointIdOf(request), async (client, endpoint) => {
      await rotateSecret(client, sealer, workspaceId, endpoint.id);
      const secrets = await readSecrets(client, sealer, workspaceId, endpoint.id);
      if (secrets === undefined) throw new Error('A new secret does not open.');
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.secret_rotated',
        target: targetOf(endpoint),
      });
      return secrets;
    });
  });
}

const UNOPENED =
  'The secret of the endpoint cannot be opened: the service has another SVC_SECRET. Rotate it to get a new one.';

const deletedSince = (): ApiError =>
  new ApiError('conflict', 'The endpoint that this request has created was deleted.');
const notWritten = (): Error => new Error('An endpoint that was just written is not there.');

interface EndpointChange {
  readonly settings: Partial<EndpointSettings>;
  readonly enabled: boolean | undefined;
}

/** Changes what differs, with an audit entry for the settings and one for `enabled`. Returns the endpoint after that. */
function changeEndpoint(
  pool: Connections,
  access: Access,
  endpointId: string,
  { settings, enabled }: EndpointChange,
): Promise<WebhookEndpoint> {
  const { workspaceId, by } = access;
  const change = async (client: pg.ClientBase, before: LockedEndpoint): Promise<WebhookEndpoint> => {
    const after = { ...before, ...settings };
    if (after.companyId !== before.companyId) await requireCompany(client, workspaceId, after.companyId);
    const changed = changesOf(before, after);
    const target = targetOf(after);
    const events: NewEvent[] = [];
    if (changed.length > 0) {
      await updateEndpoint(client, workspaceId, after);
      if (after.types !== null || after.companyId !== null) await failLeftOut(client, workspaceId, after);
      events.push({ kind: 'webhook.updated', target, changes: changed });
    }
    if (enabled === true && !before.enabled) {
      await enableEndpoint(client, workspaceId, before);
      events.push({ kind: 'webhook.enabled', target });
    }
    if (enabled === false && before.enabled) {
      await disableEndpoint(client, workspaceId, endpointId);
      events.push({ kind: 'webhook.disabled', target, details: { reason: 'person' } });
    }
    for (const event of events) await appendEvent(client, workspaceId, by, event);
    return requireEndpoint(client, workspaceId, endpointId, notWritten);
  };
  return withEndpoint(pool, access, endpointId, change, enabled === true);
}
