import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type CallOptions, call } from '../api/client.ts';
import { ApiFailure } from '../api/failure.ts';
import { compacted, FIRST_PAGE, itemsOf, nextParam, type Page, type Pages, previousParam } from './pages.ts';

type Params = NonNullable<CallOptions['query']>;

export interface CursorList<Item> {
  /** Undefined: the first page is on its way, or failed. */
  readonly items: readonly Item[] | undefined;
  readonly total: number | undefined;
  readonly error: unknown;
  readonly more: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  /** Reads the list again from its start. */
  readonly reload: () => void;
  /** Appends the next page. */
  readonly loadMore: () => Promise<void>;
  /** Puts what was added to the list since it was read in front of it; how many. Throws ApiFailure. */
  readonly loadNewer: () => Promise<number>;
}

/** The list was read so long ago that it cannot be continued. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code.startsWith('cursor_');

/**
 * A list endpoint read page by page. What was loaded is kept while the page is left and entered again; other parameters
 * are another list, with an error of its own.
 */
export function useCursorList<Item>(path: string, params: Params): CursorList<Item> {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['list', path, params] as const, [path, params]);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      call<Page<Item>>(path, { query: { ...params, ...pageParam }, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _, param) => nextParam(last, param),
    getPreviousPageParam: (first) => previousParam(first),
    // Joined pages are never read again without being asked for.
    staleTime: Number.POSITIVE_INFINITY,
    // An entry does not change, and comparing thousands of them with each look for new ones takes long.
    structuralSharing: false,
  });
  const { data, error, fetchNextPage, fetchPreviousPage, refetch, isFetchNextPageError } = list;
  const restart = useCallback(
    () => client.resetQueries({ queryKey, exact: true }).catch(() => undefined),
    [client, queryKey],
  );
  const outdated = isFetchNextPageError && isOutdated(error);
  const loadMore = useCallback(async (): Promise<void> => {
    if (outdated) await restart();
    // Comes before a look for new ones that is under way: that one is repeated.
    else await fetchNextPage();
  }, [outdated, restart, fetchNextPage]);
  const loadNewer = useCallback(async (): Promise<number> => {
    const first = client.getQueryData<Pages<Item>>(queryKey)?.pages[0];
    if (first === undefined || previousParam(first) === undefined) {
      const read = await refetch({ cancelRefetch: false });
      if (read.isError) throw read.error;
      return read.data === undefined ? 0 : itemsOf(read.data).length;
    }
    // One request at a time: a second look joins the first, and neither breaks off a page on its way.
    const look = () => fetchPreviousPage({ cancelRefetch: false });
    let looked = await look();
    // It has joined, or was broken off by, a page in the other direction.
    if (!looked.isFetchPreviousPageError && looked.data?.pages[0] === first) looked = await look();
    if (looked.isFetchPreviousPageError) {
      if (!isOutdated(looked.error)) throw looked.error;
      await restart();
      return 0;
    }
    const newer = looked.data?.pages.slice(0, Math.max(0, looked.data.pages.indexOf(first))) ?? [];
    client.setQueryData<Pages<Item>>(queryKey, (all) => (all === undefined ? all : compacted(all)));
    return newer.reduce((sum, page) => sum + page.data.length, 0);
  }, [client, queryKey, fetchPreviousPage, refetch, restart]);

  const items = useMemo(() => (data === undefined ? undefined : itemsOf(data)), [data]);
  const reload = useCallback((): void => void restart(), [restart]);
  return {
    items,
    total: data?.pages.at(-1)?.pagination.total,
    error,
    more: list.hasNextPage,
    loadingMore: list.isFetchingNextPage,
    moreError: isFetchNextPageError ? error : null,
    reload,
    loadMore,
    loadNewer,
  };
}
