import type { SecretSealer } from '@svc/deployment-secrets/sealed';
import type { Queryable } from '@svc/turns/lane';
import { createSecret } from '@svc/webhook-sender';
import type pg from 'pg';
import { newId } from '../config/ids.ts';
import { lookUp } from '../database/look-up.ts';
import { statement } from '../database/statement.ts';

/** What a person chooses about an endpoint. */
export interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  /** The types of changes that it gets. Null: all. */
  readonly types: readonly string[] | null;
  /** The company whose changes it gets. Null: all. */
  readonly companyId: string | null;
  /** Whether a change waits until the one before it is delivered. */
  readonly ordered: boolean;
}

/** What a delivery needs to know about its endpoint. */
export interface Endpoint extends EndpointSettings {
  readonly enabled: boolean;
  /** The id of the last change that is accounted for. */
  readonly position: string;
  /** The feed is sent again from this position. Null: nothing is. */
  readonly replayFrom: string | null;
  /** The current secret, and for a day after a rotation the previous one. Empty: no secret of the deployment opens them. */
  readonly secrets: readonly string[];
  /** When a person last changed it, in full precision. */
  readonly updatedAt: string;
}

/** The most endpoints of a workspace. */
export const ENDPOINTS_MAX = 50;
/** How long the previous secret signs after a rotation. */
const OVERLAP = "interval '24 hours'";

const lockWorkspace = statement('lock_workspace_for_endpoint', 'request')`
  select 1 from workspaces where id = $1 for no key update`;
const countEndpoints = statement('count_endpoints', 'request')`
  select count(*)::int as endpoints from webhook_endpoints where workspace_id = $1 and deleted_at is null`;
const insertEndpoint = statement('insert_endpoint', 'request')`
  insert into webhook_endpoints (workspace_id, id, url, description, types, company_id, ordered, secret, position)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** Lets no other transaction create an endpoint of the workspace, or delete the workspace, until this one ends. */
export async function lockEndpointsOf(client: pg.ClientBase, workspaceId: string): Promise<void> {
  await client.query(lockWorkspace(workspaceId));
}

/**
 * Creates an endpoint with a new secret. It gets the changes after the position. Returns undefined if the workspace has
 * {@link ENDPOINTS_MAX} endpoints.
 */
export async function createEndpoint(
  client: pg.ClientBase,
  sealer: SecretSealer,
  workspaceId: string,
  { url, description, types, companyId, ordered }: EndpointSettings,
  position: string,
): Promise<{ readonly id: string; readonly secret: string } | undefined> {
  await lockEndpointsOf(client, workspaceId);
  const { rows } = await client.query<{ endpoints: number }>(countEndpoints(workspaceId));
  if ((rows[0]?.endpoints ?? 0) >= ENDPOINTS_MAX) return undefined;
  const id = newId('whe');
  const secret = createSecret();
  const sealed = sealer.seal(secret, { workspaceId, endpointId: id });
  await client.query(
    insertEndpoint(workspaceId, id, url, description, types, companyId, ordered, sealed, position),
  );
  return { id, secret };
}

const selectEndpoint = statement('read_endpoint', 'request')`
  ${lookUp({
    select: `url, description, types, company_id as "companyId", ordered, enabled, position, replay_from as "replayFrom",
      updated_at::text as "updatedAt", secret, case when previous_until > now() then previous_secret end as previous_secret`,
    from: 'webhook_endpoints',
  })}`;

interface EndpointRow extends Omit<Endpoint, 'secrets'> {
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** Reads an endpoint. Undefined: there is none. */
export async function readEndpoint(
  connections: Queryable,
  sealer: SecretSealer,
  workspaceId: string,
  endpointId: string,
): Promise<Endpoint | undefined> {
  const { rows } = await connections.query<EndpointRow>(selectEndpoint(workspaceId, endpointId));
  const [row] = rows;
  if (row === undefined) return undefined;
  const { secret, previous_secret, ...endpoint } = row;
  const sealed = [secret, ...(previous_secret === null ? [] : [previous_secret])];
  const secrets = sealed.flatMap((text) => sealer.open(text, { workspaceId, endpointId }) ?? []);
  return { ...endpoint, secrets };
}

const replaceSecret = statement('rotate_endpoint_secret', 'request')`
  update webhook_endpoints
  set secret = $3, previous_secret = secret, previous_until = now() + ${OVERLAP}, updated_at = now()
  where workspace_id = $1 and id = $2`;

/** Gives an endpoint a new secret. The one before it signs too for a day. Undefined: there is no such endpoint. */
export async function rotateSecret(
  connections: Queryable,
  sealer: SecretSealer,
  workspaceId: string,
  endpointId: string,
): Promise<string | undefined> {
  const secret = createSecret();
  const sealed = sealer.seal(secret, { workspaceId, endpointId });
  const { rowCount } = await connections.query(replaceSecret(workspaceId, endpointId, sealed));
  return rowCount === 0 ? undefined : secret;
}
