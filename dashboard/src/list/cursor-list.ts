import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type CallOptions, call } from '../api/client.ts';
import { ApiFailure } from '../api/failure.ts';
import { useArrival } from '../arrival.ts';
import {
  compactPages,
  FIRST_PAGE,
  itemsOf,
  nextParam,
  type Page,
  type Pages,
  previousParam,
  searchedTo,
} from './pages.ts';

type Params = NonNullable<CallOptions['query']>;

export interface CursorList<Item> {
  /** Undefined while the first page loads or is rendered for the first time, or if it failed. */
  readonly items: readonly Item[] | undefined;
  readonly total: number | undefined;
  /** Why the first page could not be loaded. Otherwise null. */
  readonly error: unknown;
  readonly more: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  /** Reads the list again from the start. */
  readonly reload: () => void;
  /** Appends the next page. */
  readonly loadMore: () => Promise<unknown>;
  /** Prepends the items that were added since the list was read. Throws ApiFailure. */
  readonly loadNewer: () => Promise<Newer>;
  /** The time up to which the service has searched, if it may find more items that meet the filters. */
  readonly searchedTo: string | undefined;
}

/** A list that can only be continued at its end. */
export type ContinuedList<Item = unknown> = Omit<CursorList<Item>, 'error' | 'reload' | 'loadNewer'>;

interface Newer {
  readonly found: number;
  /** Whether there may be more items that were added. */
  readonly more: boolean;
}
const NOTHING_NEWER: Newer = { found: 0, more: false };

/** Whether the error says that a cursor of the list has expired. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code.startsWith('cursor_');

/**
 * Reads a list endpoint page by page. Loaded items stay in the cache when the viewer leaves the page and comes back, unless
 * `kept` is false. Other parameters are another list, with its own error.
 */
export function useCursorList<Item>(path: string, params: Params, kept = true): CursorList<Item> {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['list', path, params] as const, [path, params]);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      call<Page<Item>>(path, { query: { ...params, ...pageParam }, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _, param) => nextParam(last, param),
    getPreviousPageParam: (first) => previousParam(first),
    // Never refetch by itself: joined pages cannot be read again one by one.
    staleTime: Number.POSITIVE_INFINITY,
    // Items do not change, and comparing thousands of them on each poll is slow.
    structuralSharing: false,
    ...(kept ? {} : { gcTime: 0 }),
  });
  const { data, error, fetchNextPage, fetchPreviousPage, refetch, isFetchNextPageError } = list;
  const restart = useCallback(
    () => client.resetQueries({ queryKey, exact: true }).catch(() => undefined),
    [client, queryKey],
  );
  const outdated = isFetchNextPageError && isOutdated(error);
  const loadMore = useCallback(async (): Promise<void> => {
    if (outdated) await restart();
    // Cancels a running request for newer items, which loadNewer repeats.
    else await fetchNextPage();
  }, [outdated, restart, fetchNextPage]);
  const loadNewer = useCallback(async (): Promise<Newer> => {
    const first = client.getQueryData<Pages<Item>>(queryKey)?.pages[0];
    if (first === undefined || previousParam(first) === undefined) {
      const read = await refetch({ cancelRefetch: false });
      if (read.isError) throw read.error;
      // The first page still loaded: none of its items is newer than what the viewer has seen.
      if (first === undefined || read.data === undefined) return NOTHING_NEWER;
      return { found: itemsOf(read.data).length, more: false };
    }
    // One request at a time: a second call joins the running request and cancels nothing.
    const fetchNewer = () => fetchPreviousPage({ cancelRefetch: false });
    let result = await fetchNewer();
    // The call joined a request for the next page, or that request cancelled it.
    if (!result.isFetchPreviousPageError && result.data?.pages[0] === first) result = await fetchNewer();
    if (result.isFetchPreviousPageError) {
      if (!isOutdated(result.error)) throw result.error;
      await restart();
      return NOTHING_NEWER;
    }
    const newer = result.data?.pages.slice(0, Math.max(0, result.data.pages.indexOf(first))) ?? [];
    client.setQueryData<Pages<Item>>(queryKey, (all) => (all === undefined ? all : compactPages(all)));
    return { found: itemsOf({ pages: newer }).length, more: newer[0]?.pagination.hasMore === true };
  }, [client, queryKey, fetchPreviousPage, refetch, restart]);

  const loaded = useMemo(() => (data === undefined ? undefined : itemsOf(data)), [data]);
  const items = useArrival(loaded, queryKey);
  const reload = useCallback((): void => void restart(), [restart]);
  return {
    items,
    total: data?.pages.at(-1)?.pagination.total,
    error: data === undefined ? error : null,
    more: list.hasNextPage,
    loadingMore: list.isFetchingNextPage,
    moreError: isFetchNextPageError ? error : null,
    reload,
    loadMore,
    loadNewer,
    searchedTo: data === undefined ? undefined : searchedTo(data),
  };
}
