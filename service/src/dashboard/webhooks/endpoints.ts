import { isId } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { listEndpoints, readEndpointRecord } from '../../webhooks/records.ts';
import type { DashboardContext } from '../context.ts';

type OneEndpoint = { Params: { endpointId: string } };
const WEBHOOKS = '/workspaces/:workspaceId/webhooks';

/** The endpoints of webhooks, for owners and admins: only they see the URLs, which can contain a secret of the receiver. */
export function registerWebhooks(api: FastifyInstance, { sessions, pool }: DashboardContext): void {
  api.get(WEBHOOKS, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    return { data: await listEndpoints(pool, workspaceId) };
  });

  api.get<OneEndpoint>(`${WEBHOOKS}/:endpointId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    const endpoint = await readEndpointRecord(pool, workspaceId, endpointIdOf(request));
    if (endpoint === undefined) throw noEndpoint();
    return { endpoint };
  });
}

function endpointIdOf({
  params: { endpointId },
}: {
  readonly params: { readonly endpointId: string };
}): string {
  if (!isId(endpointId)) throw noEndpoint();
  return endpointId;
}

const noEndpoint = (): ApiError => new ApiError('not_found', 'There is no such webhook endpoint.');
