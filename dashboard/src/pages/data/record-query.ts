import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { call, ofWorkspace, readJson, send, withTimeout } from '../../api/client.ts';
import { isFailure } from '../../api/failure.ts';
import type { DataRecord } from '../../resources/resources.ts';
import type { Patch } from './forms/record-form.ts';

export interface ReadRecord {
  readonly record: DataRecord;
  /** Sent with a change, so that it does not overwrite the change of somebody else. */
  readonly etag: string;
}

export const recordQuery = (workspaceId: string, resource: string, id: string) =>
  queryOptions({
    queryKey: ['record', workspaceId, resource, id],
    queryFn: ({ signal: cancelled }) =>
      withTimeout(cancelled, async (signal) =>
        readRecord(await send(recordPath(workspaceId, resource, id), { signal })),
      ),
  });

/** Creates a record. Lists that can show it are read again. */
export function useCreateRecord(workspaceId: string, resource: string, idempotencyKey: string) {
  const client = useQueryClient();
  const { run, error, isPending } = useAction({
    mutationFn: async ({ body }: Creation) =>
      readRecord(await send(listPath(workspaceId, resource), { method: 'POST', body, idempotencyKey })),
    onSuccess: (read, { onCreated }) => {
      client.setQueryData(recordQuery(workspaceId, resource, read.record.id).queryKey, read);
      forgetLists(client, workspaceId, resource);
      onCreated(read);
    },
  });
  return {
    run: (body: Patch, onCreated: (read: ReadRecord) => void) => run({ body, onCreated }),
    error,
    isPending,
  };
}

interface Creation {
  readonly body: Patch;
  readonly onCreated: (read: ReadRecord) => void;
}

/** Deletes a record, unless it has changed since it was read. */
export const deleteRecord = (
  workspaceId: string,
  resource: string,
  { record, etag }: ReadRecord,
): Promise<void> => call(recordPath(workspaceId, resource, record.id), { method: 'DELETE', ifMatch: etag });

/** Lists are read again. Not for a page that shows such a list: it would show no records until it is left. */
export const forgetLists = (client: QueryClient, workspaceId: string, resource: string): void =>
  client.removeQueries({ queryKey: ['list', listPath(workspaceId, resource)] });

/**
 * Changes a record, unless it has changed since it was read. Lists that show it are read again. If somebody else has changed
 * or deleted it, the record is read again.
 */
export function useChangeRecord(workspaceId: string, resource: string, { record, etag }: ReadRecord) {
  const client = useQueryClient();
  const query = recordQuery(workspaceId, resource, record.id);
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
      // A read that started before may have the record as it was.
      void client.cancelQueries(query);
      client.setQueryData(query.queryKey, read);
      forgetLists(client, workspaceId, resource);
    },
    onError: (error) => {
      if (isFailure(error, 'precondition_failed') || isFailure(error, 'not_found'))
        void client.refetchQueries(query);
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
  record: await readJson<DataRecord>(response),
  etag: response.headers.get('etag') ?? '',
});
