import { expect } from 'vitest';
import { byOwner, type Prepare, type World, workspaceOf } from './change.ts';

const SETTINGS = {
  url: 'https://hooks.example.com/secret?token=1',
  description: 'Orders',
  types: ['company.created', 'content.updated'],
  companyId: null,
  ordered: true,
};
const LABEL = 'https://hooks.example.com';

/** An endpoint of a new workspace, and a change of it. */
const ofEndpoint =
  (
    prepare: (
      path: string,
      endpointId: string,
      world: World,
    ) => Promise<{
      readonly path?: string;
      readonly body?: object;
      readonly entries: readonly { readonly kind: `webhook.${string}`; readonly [field: string]: unknown }[];
    }>,
  ): Prepare =>
  async (world) => {
    const { owner, workspaceId, path } = await workspaceOf(world);
    const created = await owner.send('POST', `${path}/webhooks`, SETTINGS);
    const { id } = created.json<{ endpoint: { id: string } }>().endpoint;
    const { entries, ...change } = await prepare(`${path}/webhooks/${id}`, id, world);
    const target = { targetType: 'webhook', targetId: id, targetLabel: LABEL };
    return {
      as: owner,
      workspaceId,
      path: `${path}/webhooks/${id}`,
      ...change,
      entries: entries.map((entry) => ({ ...target, ...entry })) as never,
    };
  };

/** Gives an endpoint an event that has failed. */
async function addFailed({ service }: World, endpointId: string): Promise<void> {
  await service.pool.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at, body)
     select workspace_id, id, 'chg_0', 'company.created', 'failed', 10, 5, now(), '{"data":{}}' from webhook_endpoints where id = $1`,
    [endpointId],
  );
}

/** Requests that change webhooks, by their routes. */
export const WEBHOOK_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /workspaces/:workspaceId/webhooks': byOwner(async (_, { path }) => ({
    path: `${path}/webhooks`,
    body: SETTINGS,
    entries: [
      {
        kind: 'webhook.created',
        targetType: 'webhook',
        targetLabel: LABEL,
        details: { types: 'company.created, content.updated', companyId: null, ordered: true },
      },
    ],
  })),
  'PATCH /workspaces/:workspaceId/webhooks/:endpointId': ofEndpoint(async () => ({
    body: { url: 'https://example.org/', types: null, ordered: true, enabled: false },
    entries: [
      {
        kind: 'webhook.updated',
        targetLabel: 'https://example.org',
        changes: [
          { field: 'url', before: LABEL, after: 'https://example.org' },
          { field: 'types', before: 'company.created, content.updated', after: null },
        ],
      },
      { kind: 'webhook.disabled', targetLabel: 'https://example.org', details: { reason: 'person' } },
    ],
  })),
  'DELETE /workspaces/:workspaceId/webhooks/:endpointId': ofEndpoint(async () => ({
    entries: [{ kind: 'webhook.deleted' }],
  })),
  'GET /workspaces/:workspaceId/webhooks/:endpointId/secret': ofEndpoint(async (path) => ({
    path: `${path}/secret`,
    entries: [{ kind: 'webhook.secret_shown' }],
  })),
  'POST /workspaces/:workspaceId/webhooks/:endpointId/deliveries/:eventId/replay': ofEndpoint(
    async (path, id, world) => {
      await addFailed(world, id);
      return {
        path: `${path}/deliveries/chg_0/replay`,
        body: {},
        entries: [{ kind: 'webhook.replayed', details: { eventId: 'chg_0', events: null, since: null } }],
      };
    },
  ),
  'POST /workspaces/:workspaceId/webhooks/:endpointId/replay': ofEndpoint(async (path, id, world) => {
    await addFailed(world, id);
    return {
      path: `${path}/replay`,
      body: { failed: true },
      entries: [{ kind: 'webhook.replayed', details: { eventId: null, events: 1, since: null } }],
    };
  }),
  'POST /workspaces/:workspaceId/webhooks/:endpointId/test': ofEndpoint(async (path) => ({
    path: `${path}/test`,
    body: {},
    entries: [{ kind: 'webhook.test_sent', details: { eventId: expect.stringMatching(/^evt_/) } }],
  })),
  'POST /workspaces/:workspaceId/webhooks/:endpointId/rotate': ofEndpoint(async (path) => ({
    path: `${path}/rotate`,
    body: {},
    entries: [{ kind: 'webhook.secret_rotated' }],
  })),
};
