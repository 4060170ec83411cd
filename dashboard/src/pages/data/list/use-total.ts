import type { Count } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from '../../../api/client.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { isFiltered } from '../data-search.ts';
import { listPath } from '../record-query.ts';

const FRESH_MS = 60_000;

/**
 * The number of records of a list, from the stored counter: all, or those of a company. Undefined with other filters, for
 * which there is no counter, and until it is loaded.
 */
export function useTotal(
  workspaceId: string,
  { name }: ResourceContract,
  params: Readonly<Record<string, string>>,
): number | undefined {
  const { companyId, ...others } = params;
  const { data } = useQuery({
    // If the list is read again, the counter is read again, too.
    queryKey: ['list', listPath(workspaceId, name), 'count', companyId],
    queryFn: ({ signal }) =>
      call<Count>(ofWorkspace(workspaceId, `/record-counts/${name}`), { query: { companyId }, signal }),
    enabled: !isFiltered(others),
    staleTime: FRESH_MS,
  });
  return data?.count;
}
