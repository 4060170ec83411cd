import type { SecretSealer } from '@svc/deployment-secrets/sealed';
import type pg from 'pg';
import { newestPosition } from '../changes/after.ts';
import { lookUp } from '../database/look-up.ts';
import { statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import type { EndpointSettings } from './endpoints.ts';
import type { WebhookSecrets } from './wire.ts';

/** Changes of endpoints by people, in the caller's transaction. A running round of the endpoint is not disturbed. */

/** An endpoint that the transaction has locked. */
export interface LockedEndpoint extends EndpointSettings {
  readonly id: string;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  /** The position of the endpoint, or where it will be when the replay begins that was asked for. */
  readonly position: string;
}

const selectForUpdate = statement('lock_endpoint', 'request')`
  ${lookUp({
    select: `id, url, description, types, company_id as "companyId", ordered, enabled,
      disabled_reason as "disabledReason", coalesce(replay_from, position) as position`,
    from: 'webhook_endpoints',
    and: 'deleted_at is null',
  })} for update`;

/** Locks an endpoint until the transaction ends. Undefined: the workspace has none with this id. */
export async function lockEndpoint(
  client: pg.ClientBase,
  workspaceId: string,
  endpointId: string,
): Promise<LockedEndpoint | undefined> {
  const { rows } = await client.query<LockedEndpoint>(selectForUpdate(workspaceId, endpointId));
  return rows[0];
}

const updateSettings = statement('update_endpoint', 'request')`
  update webhook_endpoints
  set url = $3, description = $4, types = $5, company_id = $6, ordered = $7, updated_at = now()
  where workspace_id = $1 and id = $2`;

export async function updateEndpoint(client: pg.ClientBase, workspaceId: string, after: LockedEndpoint) {
  const { id, url, description, types, companyId, ordered } = after;
  await client.query(updateSettings(workspaceId, id, url, description, types, companyId, ordered));
}

const updateDisabled = statement('disable_endpoint', 'request')`
  update webhook_endpoints set enabled = false, disabled_reason = 'person', disabled_at = now(), updated_at = now()
  where workspace_id = $1 and id = $2`;

/** Disables an endpoint. A round that runs now records nothing, so its events are sent again when it is enabled. */
export async function disableEndpoint(
  client: pg.ClientBase,
  workspaceId: string,
  endpointId: string,
): Promise<void> {
  await client.query(updateDisabled(workspaceId, endpointId));
}

// When the service disables an endpoint, its round ends with that. When a person does, a round may still run until the
// process gives the lease back, or until the lease ends.
const updateEnabled = statement('enable_endpoint', 'request')`
  update webhook_endpoints set enabled = true, failing_since = null, updated_at = now(),
    position = coalesce($3, position), disabled_reason = null, disabled_at = null,
    lease_until = case when disabled_reason = 'person' and lease_until > (select now()) then lease_until else '-infinity' end
  where workspace_id = $1 and id = $2`;

/** More deliveries keep their times. */
export const PENDING_RESET_MAX = 1000;
// A person says that the receiver works again, so each delivery gets all attempts again.
const resetPending = statement('reset_pending_deliveries', 'bulk')`
  update webhook_deliveries set attempts = 0, next_attempt_at = now() where workspace_id = $1 and endpoint_id = $2
    and event_id = any (array(
      select event_id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2
        and state >= 'pending' and state <= 'pending' order by state, created_at, event_id limit ${PENDING_RESET_MAX}
    ))`;

/**
 * Enables an endpoint, and makes what waits to be sent again due. It continues at its position, or at the newest one if
 * the feed no longer has the changes after its position.
 */
export async function enableEndpoint(
  client: pg.ClientBase,
  workspaceId: string,
  { id, disabledReason }: LockedEndpoint,
): Promise<void> {
  const position = disabledReason === 'expired' ? await newestPosition(client, workspaceId) : null;
  await client.query(updateEnabled(workspaceId, id, position));
  await client.query(resetPending(workspaceId, id));
}

const updateDeleted = statement('delete_endpoint', 'request')`
  update webhook_endpoints set enabled = false, deleted_at = now(), updated_at = now()
  where workspace_id = $1 and id = $2`;

/** Deletes an endpoint: nothing shows it any more, and no delivery to it begins. A job removes its rows. */
export async function deleteEndpoint(
  client: pg.ClientBase,
  workspaceId: string,
  endpointId: string,
): Promise<void> {
  await client.query(updateDeleted(workspaceId, endpointId));
}

const selectSecrets = statement('read_endpoint_secrets', 'request')`
  ${lookUp({
    select: `secret, case when previous_until > now() then previous_secret end as previous,
      ${utc('previous_until')} as until`,
    from: 'webhook_endpoints',
  })}`;

interface SecretsRow {
  readonly secret: string;
  readonly previous: string | null;
  readonly until: string;
}

/** The secrets that sign. Undefined: no secret of the deployment opens the current one. */
export async function readSecrets(
  client: pg.ClientBase,
  sealer: SecretSealer,
  workspaceId: string,
  endpointId: string,
): Promise<WebhookSecrets | undefined> {
  const { rows } = await client.query<SecretsRow>(selectSecrets(workspaceId, endpointId));
  const [row] = rows;
  if (row === undefined) throw new Error('An endpoint that is locked is not there.');
  const context = { workspaceId, endpointId };
  const secret = sealer.open(row.secret, context);
  if (secret === undefined) return undefined;
  const previous = row.previous === null ? undefined : sealer.open(row.previous, context);
  return { secret, previous: previous === undefined ? null : { secret: previous, until: row.until } };
}
