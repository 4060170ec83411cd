import type { AnyAuditLogEntry } from '@svc/sdk';
import { resourceNamed, seedRecords } from '../harness/records.ts';
import { byOwner, type Prepare, type World, workspaceOf } from './change.ts';

async function withKey(
  world: World,
  action: 'pause' | 'resume' | 'rotate' | 'revoke',
  entry: Partial<AnyAuditLogEntry>,
) {
  const { owner, workspaceId, path } = await workspaceOf(world);
  const { keyId } = await world.service.issue(workspaceId, { name: 'crawler', access: 'write' });
  return {
    as: owner,
    workspaceId,
    path: `${path}/keys/${keyId}/${action}`,
    body: {},
    entries: [
      {
        ...entry,
        keyId,
        targetType: 'key' as const,
        targetId: keyId,
        targetLabel: 'crawler',
        details: { mode: 'live', access: 'write', companyId: null },
      },
    ],
  };
}

/** Requests that change keys, by their routes. */
export const KEY_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /workspaces/:workspaceId/keys': byOwner(async (world, { workspaceId, path }) => {
    await seedRecords(world.service.pool, workspaceId, resourceNamed('companies'), [
      { id: 'com_a', createdAt: '2026-03-01T00:00:00Z' },
    ]);
    const { keyId: replaces } = await world.service.issue(workspaceId);
    return {
      path: `${path}/keys`,
      body: {
        ...{ name: 'crawler', mode: 'test', access: 'read', companyId: 'com_a', replaces },
        ...{ expiresAt: '2100-01-01T00:00:00Z', allowedNetworks: ['192.0.2.1', '10.1.2.3/8'], burstLimit: 5 },
      },
      entries: [
        {
          kind: 'key.created',
          targetType: 'key',
          targetLabel: 'crawler',
          details: {
            ...{ mode: 'test', access: 'read', companyId: 'com_a', replaces },
            ...{
              expiresAt: '2100-01-01T00:00:00Z',
              allowedNetworks: '192.0.2.1/32, 10.0.0.0/8',
              burstLimit: 5,
            },
          },
        },
      ],
    };
  }),
  'PATCH /workspaces/:workspaceId/keys/:keyId': async (world) => {
    const { path, entries, ...change } = await withKey(world, 'revoke', { kind: 'key.changed' });
    const [{ details: _, ...entry } = {}] = entries;
    const changes = [
      { field: 'name', before: 'crawler', after: 'spider' },
      { field: 'expiresAt', before: null, after: '2100-01-01T00:00:00Z' },
      { field: 'allowedNetworks', before: null, after: '2001:db8::/32' },
      { field: 'burstLimit', before: null, after: 5 },
    ];
    return {
      ...change,
      path: path.replace('/revoke', ''),
      body: {
        ...{ name: 'spider', expiresAt: '2100-01-01T00:00:00Z' },
        ...{ allowedNetworks: ['2001:db8::1/32'], burstLimit: 5 },
      },
      entries: [{ ...entry, targetLabel: 'spider', changes }],
    };
  },
  'POST /workspaces/:workspaceId/keys/:keyId/pause': (world) =>
    withKey(world, 'pause', { kind: 'key.paused' }),
  'POST /workspaces/:workspaceId/keys/:keyId/resume': async (world) => {
    const change = await withKey(world, 'resume', { kind: 'key.resumed' });
    await change.as.send('POST', change.path.replace('/resume', '/pause'));
    return change;
  },
  'POST /workspaces/:workspaceId/keys/:keyId/rotate': (world) =>
    withKey(world, 'rotate', { kind: 'key.rotated' }),
  'POST /workspaces/:workspaceId/keys/:keyId/revoke': (world) =>
    withKey(world, 'revoke', { kind: 'key.revoked' }),
};
