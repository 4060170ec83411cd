import type { Queryable } from '@svc/turns/lane';
import { lookUp } from '../database/look-up.ts';
import { statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { ENDPOINTS_MAX } from './endpoints.ts';
import type { WebhookEndpoint } from './wire.ts';

const FIELDS = `id, url, description, types, company_id as "companyId", ordered, enabled,
  case when not enabled then json_build_object('reason', coalesce(disabled_reason, 'person'),
    'at', ${utc('coalesce(disabled_at, updated_at)')}) end as disabled,
  ${utc('failing_since')} as "failingSince", ${utc('created_at')} as "createdAt", ${utc('updated_at')} as "updatedAt"`;

const selectRecords = statement('list_endpoints', 'request')`
  select ${FIELDS} from webhook_endpoints where workspace_id = $1 and deleted_at is null
  order by id desc limit ${ENDPOINTS_MAX}`;
const selectRecord = statement('read_endpoint_record', 'request')`
  ${lookUp({ select: FIELDS, from: 'webhook_endpoints', and: 'deleted_at is null' })}`;

/** The endpoints of a workspace, the newest first. */
export async function listEndpoints(
  connections: Queryable,
  workspaceId: string,
): Promise<readonly WebhookEndpoint[]> {
  const { rows } = await connections.query<WebhookEndpoint>(selectRecords(workspaceId));
  return rows;
}

/** An endpoint as the dashboard shows it. Undefined: the workspace has none with this id. */
export async function readEndpointRecord(
  connections: Queryable,
  workspaceId: string,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await connections.query<WebhookEndpoint>(selectRecord(workspaceId, endpointId));
  return rows[0];
}
