import type { AuditLogEntry } from '@svc/sdk';
import type { EndpointSettings } from '../../../src/webhooks/endpoints.ts';
import type { CreatedEndpoint, WebhookEndpoint } from '../../../src/webhooks/wire.ts';
import { createTestDashboard } from '../dashboard.ts';
import { newWriter, pool, service } from './world.ts';

export const dashboard = createTestDashboard(service);

/** Settings of an endpoint that gets everything in order. */
export const newSettings = (url: string): EndpointSettings => ({
  url,
  description: 'A receiver',
  types: null,
  companyId: null,
  ordered: true,
});

/** A workspace whose owner manages its webhooks. */
export async function managed() {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const writer = await newWriter(workspaceId);
  const path = `/workspaces/${workspaceId}/webhooks`;
  return {
    owner,
    workspaceId,
    writer,
    path,
    create: async (settings: Partial<EndpointSettings> & { readonly url: string }) => {
      const answer = await owner.send('POST', path, { ...newSettings(settings.url), ...settings });
      if (answer.status !== 201) throw new Error(answer.text);
      const { endpoint, secret } = answer.json<CreatedEndpoint>();
      if (secret === null) throw new Error('the first response has no secret');
      return { endpoint, secret };
    },
    change: async (id: string, body: object) => {
      const answer = await owner.send('PATCH', `${path}/${id}`, body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json<{ endpoint: WebhookEndpoint }>().endpoint;
    },
    /** The entries of the audit log, the oldest first. Default: of all kinds. */
    entries: async (kind?: string): Promise<readonly AuditLogEntry[]> => {
      const { rows } = await pool.query<{ entry: AuditLogEntry }>(
        'select doc::json as entry from audit_log_entries where workspace_id = $1 order by created_at',
        [workspaceId],
      );
      return rows.map(({ entry }) => entry).filter((entry) => kind === undefined || entry.kind === kind);
    },
  };
}
