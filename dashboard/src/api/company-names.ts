import type { CompanyNames } from '@svc/service/src/dashboard/wire.ts';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

const NAMES_FRESH_MS = 5 * 60_000;

/** Companies whose name, domain or id holds the text. */
export const companySearchQuery = (workspaceId: string, search: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'company-search', search],
    queryFn: ({ signal }) =>
      call<CompanyNames>(ofWorkspace(workspaceId, '/company-names'), {
        query: { search: search === '' ? undefined : search },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** Name by id; an id stands for itself until its name is there, and where there is none. */
export function useCompanyNames(
  workspaceId: string,
  ids: readonly (string | null)[],
): (id: string) => string {
  const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
  const { data } = useQuery({
    queryKey: ['workspace', workspaceId, 'company-names', wanted],
    queryFn: ({ signal }) =>
      call<CompanyNames>(ofWorkspace(workspaceId, '/company-names'), {
        query: { ids: wanted.join(',') },
        signal,
      }),
    enabled: wanted.length > 0,
    staleTime: NAMES_FRESH_MS,
    placeholderData: keepPreviousData,
  });
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
