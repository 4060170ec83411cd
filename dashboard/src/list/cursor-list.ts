import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type CallOptions, call } from '../api/client.ts';
import { useArrival } from '../arrival.ts';
import { type ContinuedList, isOutdated, useContinuedList } from './continued-list.ts';
import {
  compactPages,
  FIRST_PAGE,
  itemsOf,
  nextParam,
  type Page,
  type Pages,
  previousParam,
} from './pages.ts';

type Params = NonNullable<CallOptions['query']>;

export interface CursorList<Item> extends ContinuedList<Item> {
  /** Why the first page could not be loaded. Otherwise null. */
  readonly error: unknown;
  /** Prepends the items that were added since the list was read. Throws ApiFailure. */
  readonly loadNewer: () => Promise<Newer>;
}

interface Newer {
  readonly found: number;
  /** Whether there may be more items that were added. */
  readonly more: boolean;
}
const NOTHING_NEWER: Newer = { found: 0, more: false };

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
  const { data, error, fetchPreviousPage, refetch } = list;
  const continued = useContinuedList(list, queryKey);
  const { reload } = continued;
  const loadNewer = useCallback(async (): Promise<Newer> => {
    const before = client.getQueryData<Pages<Item>>(queryKey);
    const first = before?.pages[0];
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
    // The items of a page can change. Its parameters cannot.
    const place = (data: InfiniteData<unknown> | undefined) =>
      data?.pageParams.indexOf(before?.pageParams[0]) ?? -1;
    // The call joined a request for the next page, or was cancelled by it or by a change of items.
    if (!result.isFetchPreviousPageError && place(result.data) === 0) result = await fetchNewer();
    if (result.isFetchPreviousPageError) {
      if (!isOutdated(result.error)) throw result.error;
      await reload();
      return NOTHING_NEWER;
    }
    const newer = result.data?.pages.slice(0, Math.max(0, place(result.data))) ?? [];
    client.setQueryData<Pages<Item>>(queryKey, (all) => (all === undefined ? all : compactPages(all)));
    return {
      found: itemsOf({ pages: newer }).length,
      more: (newer[0]?.pagination.nextCursor ?? null) !== null,
    };
  }, [client, queryKey, fetchPreviousPage, refetch, reload]);
  const items = useArrival(continued.items, queryKey);
  return { ...continued, items, error: data === undefined ? error : null, loadNewer };
}
