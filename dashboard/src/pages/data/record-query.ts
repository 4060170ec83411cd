import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { ofWorkspace, send } from '../../api/client.ts';
import type { DataRecord } from '../../resources/resources.ts';
import type { Patch } from './record-form.ts';

export interface ReadRecord {
  readonly record: DataRecord;
  /** Sent with a change, so that it does not overwrite the change of somebody else. */
  readonly etag: string;
}

export const recordQuery = (workspaceId: string, resource: string, id: string) =>
  queryOptions({
    queryKey: ['record', workspaceId, resource, id],
    queryFn: async ({ signal }) => readRecord(await send(recordPath(workspaceId, resource, id), { signal })),
  });

/** Changes a record, unless it has changed since it was read. Lists that show it are read again. */
export function useChangeRecord(workspaceId: string, resource: string, { record, etag }: ReadRecord) {
  const client = useQueryClient();
  return useAction({
    mutationFn: async (patch: Patch) =>
      readRecord(
        await send(recordPath(workspaceId, resource, record.id), {
          method: 'PATCH',
          body: patch,
          ifMatch: etag,
        }),
      ),
    onSuccess: (read) => {
      client.setQueryData(recordQuery(workspaceId, resource, record.id).queryKey, read);
      client.removeQueries({ queryKey: ['list', listPath(workspaceId, resource)] });
    },
  });
}

/** Path of the endpoint that lists the changes of a record. */
export const historyPath = (workspaceId: string, resource: string, id: string): string =>
  `${recordPath(workspaceId, resource, id)}/history`;

/** Path of the endpoint that lists the records. */
export const listPath = (workspaceId: string, resource: string): string =>
  ofWorkspace(workspaceId, `/data/${resource}`);

const recordPath = (workspaceId: string, resource: string, id: string): string =>
  `${listPath(workspaceId, resource)}/${encodeURIComponent(id)}`;

const readRecord = async (response: Response): Promise<ReadRecord> => ({
  record: (await response.json()) as DataRecord,
  etag: response.headers.get('etag') ?? '',
});
