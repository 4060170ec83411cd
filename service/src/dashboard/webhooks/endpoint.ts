import { isId } from '@svc/sdk/contract';
import type { Connections, Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import type { EventTarget } from '../../audit-log/entry.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import { lockEndpointsOf } from '../../webhooks/endpoints.ts';
import { type LockedEndpoint, lockEndpoint } from '../../webhooks/manage.ts';
import { readEndpointRecord } from '../../webhooks/records.ts';
import type { WebhookEndpoint } from '../../webhooks/wire.ts';
import { type Access, confirmRole } from '../requests/session.ts';

/** What the routes of one endpoint share. */

export const WEBHOOKS = '/workspaces/:workspaceId/webhooks';

export type OneEndpoint = { Params: { endpointId: string } };

/** The id in the path. Throws `not_found` if no endpoint can have it. */
export function endpointIdOf({
  params: { endpointId },
}: {
  readonly params: { readonly endpointId: string };
}): string {
  if (!isId(endpointId)) throw noEndpoint();
  return endpointId;
}

const noEndpoint = (): ApiError => new ApiError('not_found', 'There is no such webhook endpoint.');

/** An endpoint as the dashboard shows it. Throws `missing` if the workspace has no such one. Default: `not_found`. */
export async function requireEndpoint(
  connections: Queryable,
  workspaceId: string,
  endpointId: string,
  missing: () => Error = noEndpoint,
): Promise<WebhookEndpoint> {
  const endpoint = await readEndpointRecord(connections, workspaceId, endpointId);
  if (endpoint === undefined) throw missing();
  return endpoint;
}

/**
 * Runs a transaction that confirms the role and locks the endpoint. Throws `not_found` if the workspace has no such one.
 * `enables`: whether `work` enables it. The deletion of the workspace, which stops the enabled ones, then waits for it.
 */
export const withEndpoint = <T>(
  pool: Connections,
  access: Access,
  endpointId: string,
  work: (client: pg.ClientBase, endpoint: LockedEndpoint) => Promise<T>,
  enables = false,
): Promise<T> =>
  inTransaction(pool, async (client) => {
    if (enables) await lockEndpointsOf(client, access.workspaceId);
    await confirmRole(client, access);
    const endpoint = await lockEndpoint(client, access.workspaceId, endpointId);
    if (endpoint === undefined) throw noEndpoint();
    return work(client, endpoint);
  });

/** An endpoint in the audit log, which every member reads: without the path of its URL, which can contain a secret. */
export const targetOf = ({ id, url }: { readonly id: string; readonly url: string }): EventTarget => ({
  id,
  label: new URL(url).origin,
});
