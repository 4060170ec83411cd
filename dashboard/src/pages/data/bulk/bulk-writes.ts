import type { QueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { changeItems, type Pages } from '../../../list/pages.ts';
import type { DataRecord } from '../../../resources/resources.ts';
import { listPath } from '../record-query.ts';

/** What happens to the selected records. */
export type BulkAction =
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'move';
      /** Name of the field with the state. */
      readonly field: string;
      readonly to: string;
    };

/** Writes all records or none. Resolves to the records as they are then; those that are deleted are missing. */
export async function writeRecords(
  workspaceId: string,
  resource: string,
  action: BulkAction,
  records: readonly DataRecord[],
): Promise<readonly DataRecord[]> {
  const path = `${listPath(workspaceId, resource)}/batch`;
  if (action.kind === 'delete') {
    await call(`${path}/delete`, { method: 'POST', body: { data: records.map(({ id }) => ({ id })) } });
    return [];
  }
  const data = records.map(({ id }) => ({ id, [action.field]: action.to }));
  const answer = await call<{ readonly data: readonly DataRecord[] }>(path, {
    method: 'PATCH',
    body: { data },
  });
  return answer.data;
}

/**
 * Puts changed records into the lists that are shown, which keep their place and their cursors; null removes a record. Other
 * lists and records are read again when they are shown. Running requests for more records are cancelled.
 */
export function showChanges(
  client: QueryClient,
  workspaceId: string,
  resource: string,
  changed: ReadonlyMap<string, DataRecord | null>,
): void {
  const queryKey = ['list', listPath(workspaceId, resource)];
  for (const [key, pages] of client.getQueriesData<Pages<DataRecord>>({ queryKey, type: 'active' })) {
    if (pages?.pages === undefined) continue;
    // It would put back the pages as they were when it started.
    void client.cancelQueries({ queryKey: key, exact: true });
    const params = Object(key[2]) as Readonly<Record<string, string | undefined>>;
    client.setQueryData<Pages<DataRecord>>(
      key,
      changeItems(pages, (record) => {
        const now = changed.get(record.id);
        if (now === undefined) return record;
        return now !== null && isListed(params, now) ? now : null;
      }),
    );
  }
  client.removeQueries({ queryKey, type: 'inactive' });
  void client.invalidateQueries({ queryKey: [...queryKey, 'count'] });
  client.removeQueries({ queryKey: ['record', workspaceId, resource] });
}

/** Whether the list with these parameters still has the record. Compares only the fields of the record. */
const isListed = (params: Readonly<Record<string, string | undefined>>, record: DataRecord): boolean =>
  Object.entries(params).every(
    ([name, value]) => value === undefined || record[name] === undefined || String(record[name]) === value,
  );
