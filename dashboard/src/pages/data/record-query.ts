import { queryOptions } from '@tanstack/react-query';
import { ofWorkspace, send } from '../../api/client.ts';
import type { DataRecord } from './record.ts';

export interface ReadRecord {
  readonly record: DataRecord;
  /** Sent with a change, so that it does not overwrite the change of somebody else. */
  readonly etag: string;
}

export const recordPathOf = (workspaceId: string, resource: string, id: string): string =>
  ofWorkspace(workspaceId, `/data/${resource}/${encodeURIComponent(id)}`);

export const readRecord = async (response: Response): Promise<ReadRecord> => ({
  record: (await response.json()) as DataRecord,
  etag: response.headers.get('etag') ?? '',
});

export const recordQuery = (workspaceId: string, resource: string, id: string) =>
  queryOptions({
    queryKey: ['record', workspaceId, resource, id],
    queryFn: async ({ signal }) =>
      readRecord(await send(recordPathOf(workspaceId, resource, id), { signal })),
  });
