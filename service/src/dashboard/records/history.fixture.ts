import type { AuditLogEntry, ListEnvelope } from '@svc/sdk';
import { expect } from 'vitest';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { urlOf } from '../../../test/harness/lists.ts';
import { createTestService } from '../../../test/harness/service.ts';
import type { RecordChange } from '../wire.ts';

export type HistoryPage = ListEnvelope<RecordChange>;

/** A service, and workspaces whose records have a history. */
export async function createHistoryWorld() {
  const service = await createTestService();
  const dashboard = createTestDashboard(service);
  type Owner = Awaited<ReturnType<typeof dashboard.owner>>;

  /** A workspace with the company `com_a`, and requests with a live key of it. */
  const createWorkspace = async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const token = await service.token(workspaceId, { access: 'write' });
    const write = async (
      method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: string,
      body?: object,
    ): Promise<void> => {
      const content =
        body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
      const { status } = await service.request(token, `/v1${path}`, { method, ...content });
      expect(status).toBeLessThan(300);
    };
    await write('POST', '/companies', { id: 'com_a', name: 'Acme' });
    return { owner, workspaceId, write };
  };
  /** Reads a page. `record`: `content/con_a`. */
  const historyOf = async (who: Owner, record: string, params = {}): Promise<HistoryPage> =>
    (await who.send('GET', urlOf(historyPath(who.workspaceId, record), params))).json<HistoryPage>();
  /** The newest entries of a kind. */
  const logOf = async (who: Owner, kind: string): Promise<readonly AuditLogEntry[]> =>
    (await who.send('GET', `/workspaces/${who.workspaceId}/log?limit=100&kind=${kind}`)).json<
      ListEnvelope<AuditLogEntry>
    >().data;
  return { pool: service.pool, dashboard, createWorkspace, historyOf, logOf };
}

export const historyPath = (workspaceId: string, record: string): string =>
  `/workspaces/${workspaceId}/data/${record}/history`;

export const typesOf = ({ data }: HistoryPage): readonly string[] => data.map(({ type }) => type);
