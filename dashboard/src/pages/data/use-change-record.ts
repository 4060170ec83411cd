import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { send } from '../../api/client.ts';
import { type ReadRecord, readRecord, recordPathOf, recordQuery } from './record-query.ts';

type Patch = Readonly<Record<string, string | number | null>>;

/** Changes a record, unless it has changed since it was read. Lists that show it are read again. */
export function useChangeRecord(workspaceId: string, shape: ResourceShape, { record, etag }: ReadRecord) {
  const client = useQueryClient();
  return useAction({
    mutationFn: async (patch: Patch) =>
      readRecord(
        await send(recordPathOf(workspaceId, shape.name, record.id), {
          method: 'PATCH',
          body: patch,
          ifMatch: etag,
        }),
      ),
    onSuccess: (read) => {
      client.setQueryData(recordQuery(workspaceId, shape.name, record.id).queryKey, read);
      client.removeQueries({ queryKey: ['list', `/workspaces/${workspaceId}/data/${shape.name}`] });
    },
  });
}
