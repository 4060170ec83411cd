import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { byOwner, type Prepare, type World } from './change.ts';

const newId = (): string => `com_${randomUUID()}`;

/** Creates two companies with a key of the API. Returns their ids, which are new, because cases can share a workspace. */
async function createCompanies({ service }: World, workspaceId: string): Promise<readonly [string, string]> {
  const token = await service.token(workspaceId, { access: 'write' });
  const [acme, borealis] = [newId(), newId()];
  const data = [
    { id: acme, name: 'Acme' },
    { id: borealis, name: 'Borealis' },
  ];
  const answer = await service.request(token, '/v1/companies/batch', { method: 'POST', payload: { data } });
  expect(answer.status).toBe(201);
  return [acme, borealis];
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
  'POST /workspaces/:workspaceId/data/:resource': byOwner(async (_, { path }) => {
    const id = newId();
    return {
      path: `${path}/data/companies`,
      body: { id, name: 'Cumulus' },
      entries: [{ kind: 'record.created', ...about(id, 'Cumulus') }],
    };
  }),
  'PATCH /workspaces/:workspaceId/data/:resource/:recordId': byOwner(async (world, { workspaceId, path }) => {
    const [acme] = await createCompanies(world, workspaceId);
    return {
      path: `${path}/data/companies/${acme}`,
      body: { name: 'Acme & Sons' },
      entries: [{ kind: 'record.changed', ...about(acme, 'Acme & Sons'), changes: [{ field: 'name' }] }],
    };
  }),
  'DELETE /workspaces/:workspaceId/data/:resource/:recordId': byOwner(
    async (world, { workspaceId, path }) => {
      const [acme] = await createCompanies(world, workspaceId);
      return {
        path: `${path}/data/companies/${acme}`,
        entries: [{ kind: 'record.deleted', ...about(acme, 'Acme') }],
      };
    },
  ),
  'PATCH /workspaces/:workspaceId/data/:resource/batch': byOwner(async (world, { workspaceId, path }) => {
    const [acme, borealis] = await createCompanies(world, workspaceId);
    return {
      path: `${path}/data/companies/batch`,
      // The second one changes nothing.
      body: {
        data: [
          { id: borealis, name: 'North' },
          { id: acme, name: 'Acme' },
        ],
      },
      entries: [
        { kind: 'records.changed', ...aboutSeveral([borealis], '1 company'), changes: [{ field: 'name' }] },
      ],
    };
  }),
  'POST /workspaces/:workspaceId/data/:resource/batch/delete': byOwner(
    async (world, { workspaceId, path }) => {
      const [acme, borealis] = await createCompanies(world, workspaceId);
      return {
        path: `${path}/data/companies/batch/delete`,
        body: { data: [{ id: borealis }, { id: acme }] },
        entries: [{ kind: 'records.deleted', ...aboutSeveral([borealis, acme], '2 companies') }],
      };
    },
  ),
};
