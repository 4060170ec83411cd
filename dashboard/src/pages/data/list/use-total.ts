import type { ListCount } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import type { Total } from '../../../list/total.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { listPath } from '../record-query.ts';

const FRESH_MS = 60_000;

/**
 * The number of records of a filtered list: exact for the whole list and for a company, which have counters. With other
 * filters, the service counts among the first 10,000 rows. Undefined until it is loaded.
 */
export function useTotal(
  workspaceId: string,
  { name }: ResourceContract,
  params: Readonly<Record<string, string>>,
): Total | undefined {
  const path = listPath(workspaceId, name);
  const { data } = useQuery({
    // If the list is read again, the count is read again, too.
    queryKey: ['list', path, 'count', params],
    queryFn: ({ signal }) => call<ListCount>(`${path}/count`, { query: params, signal }),
    staleTime: FRESH_MS,
  });
  return data;
}
