import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { type ContinuedList, isOutdated } from './cursor-list.ts';
import { itemsOf, type Page, searchedTo } from './pages.ts';

/**
 * The end of a list, for a query that reads one page after another. After an expired cursor, the list is read from its start.
 * `queryKey`: that of the query.
 */
export function useContinuedList<Item>(
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>,
  queryKey: QueryKey,
): ContinuedList<Item> {
  const client = useQueryClient();
  const { data, error, isFetchNextPageError, fetchNextPage } = query;
  const moreError = isFetchNextPageError ? error : null;
  const outdated = isOutdated(moreError);
  const hash = hashKey(queryKey);
  const loadMore = useCallback(
    () =>
      outdated ? client.resetQueries({ predicate: ({ queryHash }) => queryHash === hash }) : fetchNextPage(),
    [outdated, client, hash, fetchNextPage],
  );
  const searched = data && searchedTo(data);
  return {
    items: data && itemsOf(data),
    total: data?.pages.at(-1)?.pagination.total,
    more: query.hasNextPage,
    // A search must not cancel a refetch of the whole list.
    loadingMore: query.isFetchingNextPage || (searched !== undefined && query.isFetching),
    moreError,
    loadMore,
    searchedTo: searched,
  };
}
