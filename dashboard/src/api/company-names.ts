import { COMPANY_NAMES_MAX } from '@svc/service/dashboard/limits';
import type { CompanyNames } from '@svc/service/dashboard/wire';
import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

const NAMES_FRESH_MS = 5 * 60_000;

/** Companies whose name, domain or id contains the text. */
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

/** Returns a function from a company's id to its name. Until the name is loaded, or without one, it returns the id. */
export function useCompanyNames(
  workspaceId: string,
  ids: readonly (string | null)[],
): (id: string) => string {
  const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
  const prefix = ['workspace', workspaceId, 'company-names'];
  const { data } = useQuery({
    queryKey: [...prefix, wanted],
    queryFn: async ({ client, signal }): Promise<Names> => {
      const at = Date.now();
      const known = new Map(freshNames(client, prefix, at).map((company) => [company.id, company]));
      const missing = wanted.filter((id) => !known.has(id));
      const asked = await Promise.all(
        requestsOf(missing).map((some) =>
          call<CompanyNames>(ofWorkspace(workspaceId, '/company-names'), { query: { ids: some }, signal }),
        ),
      );
      for (const company of asked.flatMap((answer) => answer.data)) known.set(company.id, { ...company, at });
      return wanted.flatMap((id) => known.get(id) ?? []);
    },
    enabled: wanted.length > 0,
    // As fresh as the oldest of the names, which may be from another query.
    staleTime: ({ state: { data: names = [], dataUpdatedAt } }) =>
      Math.max(0, NAMES_FRESH_MS - dataUpdatedAt + Math.min(dataUpdatedAt, ...names.map(({ at }) => at))),
    placeholderData: keepPreviousData,
  });
  const names = new Map(data?.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

/** Names, and when each was read, in ms since 1970. */
type Names = readonly (CompanyNames['data'][number] & { readonly at: number })[];

/** Names that other pages, or this list when it was shorter, have already loaded. */
const freshNames = (client: QueryClient, queryKey: readonly unknown[], now: number): Names =>
  client
    .getQueryCache()
    .findAll({ queryKey, predicate: ({ state }) => !state.isInvalidated })
    .flatMap(({ state }) => (state.data as Names | undefined) ?? [])
    .filter(({ at }) => now - at < NAMES_FRESH_MS);

/** The values of the parameter `ids`, one for each request. */
const requestsOf = (ids: readonly string[]): readonly string[] =>
  Array.from({ length: Math.ceil(ids.length / COMPANY_NAMES_MAX) }, (_, i) =>
    ids.slice(i * COMPANY_NAMES_MAX, (i + 1) * COMPANY_NAMES_MAX).join(','),
  );
