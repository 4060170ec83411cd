import { expect } from 'vitest';
import { byOwner, type Prepare, type World } from './change.ts';

/** Creates two companies with a key of the API. */
async function createCompanies({ service }: World, workspaceId: string): Promise<void> {
  const token = await service.token(workspaceId, { access: 'write' });
  const data = [
    { id: 'com_a', name: 'Acme' },
    { id: 'com_b', name: 'Borealis' },
  ];
  const answer = await service.request(token, '/v1/companies/batch', { method: 'POST', payload: { data } });
  expect(answer.status).toBe(201);
}

const about = (id: string, label: string) => ({
  targetType: 'record' as const,
  targetId: id,
  targetLabel: label,
  resource: 'companies',
  recordIds: [id],
});

const aboutSeveral = (recordIds: readonly string[], label: string) => ({
  targetType: 'resource' as const,
  targetId: 'companies',
  targetLabel: label,
  resource: 'companies',
  recordIds,
});

/** Requests that write records, by their routes. */
export const RECORD_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /workspaces/:workspaceId/data/:resource': byOwner(async (_, { path }) => ({
    path: `${path}/data/companies`,
    body: { id: 'com_new', name: 'Cumulus' },
    entries: [{ kind: 'record.created', ...about('com_new', 'Cumulus') }],
  })),
  'PATCH /workspaces/:workspaceId/data/:resource/:recordId': byOwner(async (world, { workspaceId, path }) => {
    await createCompanies(world, workspaceId);
    return {
      path: `${path}/data/companies/com_a`,
      body: { name: 'Acme & Sons' },
      entries: [{ kind: 'record.changed', ...about('com_a', 'Acme & Sons'), changes: [{ field: 'name' }] }],
    };
  }),
  'DELETE /workspaces/:workspaceId/data/:resource/:recordId': byOwner(
    async (world, { workspaceId, path }) => {
      await createCompanies(world, workspaceId);
      return {
        path: `${path}/data/companies/com_a`,
        entries: [{ kind: 'record.deleted', ...about('com_a', 'Acme') }],
      };
    },
  ),
  'PATCH /workspaces/:workspaceId/data/:resource/batch': byOwner(async (world, { workspaceId, path }) => {
    await createCompanies(world, workspaceId);
    return {
      path: `${path}/data/companies/batch`,
      // The second one changes nothing.
      body: {
        data: [
          { id: 'com_b', name: 'North' },
          { id: 'com_a', name: 'Acme' },
        ],
      },
      entries: [
        { kind: 'records.changed', ...aboutSeveral(['com_b'], '1 company'), changes: [{ field: 'name' }] },
      ],
    };
  }),
  'POST /workspaces/:workspaceId/data/:resource/batch/delete': byOwner(
    async (world, { workspaceId, path }) => {
      await createCompanies(world, workspaceId);
      return {
        path: `${path}/data/companies/batch/delete`,
        body: { data: [{ id: 'com_b' }, { id: 'com_a' }] },
        entries: [{ kind: 'records.deleted', ...aboutSeveral(['com_b', 'com_a'], '2 companies') }],
      };
    },
  ),
};
