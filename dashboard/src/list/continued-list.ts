import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ApiFailure } from '../api/failure.ts';
import { itemsOf, type Page, searchedTo } from './pages.ts';

/** A list that can be continued at its end. */
export interface ContinuedList<Item = unknown> {
  /** Undefined while the first page loads or is rendered for the first time, or if it failed. */
  readonly items: readonly Item[] | undefined;
  readonly total: number | undefined;
  readonly more: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  /** Reads the list again from the start. */
  readonly reload: () => Promise<unknown>;
  /** Appends the next page. */
  readonly loadMore: () => Promise<unknown>;
  /** The time up to which the service has searched, if it may find more items that meet the filters. */
  readonly searchedTo: string | undefined;
}

/** Whether the error says that a cursor of the list has expired. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code.startsWith('cursor_');

/**
 * The list of a query that reads one page after another. After an expired cursor, `loadMore` reads it from its start.
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
  const reload = useCallback(
    () => client.resetQueries({ predicate: ({ queryHash }) => queryHash === hash }).catch(() => undefined),
    [client, hash],
  );
  // Cancels a running request for newer items, which loadNewer repeats.
  const loadMore = useCallback(
    (): Promise<unknown> => (outdated ? reload() : fetchNextPage()),
    [outdated, reload, fetchNextPage],
  );
  const items = useMemo(() => (data === undefined ? undefined : itemsOf(data)), [data]);
  return {
    items,
    total: data?.pages.at(-1)?.pagination.total,
    more: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    moreError,
    reload,
    loadMore,
    searchedTo: data === undefined ? undefined : searchedTo(data),
  };
}

/** The same for a query that is also read again as a whole, which a search must not cancel. */
export function useRefreshedList<Item>(
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>,
  queryKey: QueryKey,
): ContinuedList<Item> {
  const list = useContinuedList(query, queryKey);
  return { ...list, loadingMore: list.loadingMore || (list.searchedTo !== undefined && query.isFetching) };
}
