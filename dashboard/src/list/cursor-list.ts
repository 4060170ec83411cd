import type { ListEnvelope } from '@svc/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { type CallOptions, call } from '../api/client.ts';
import { isFailure } from '../api/failure.ts';

type Params = NonNullable<CallOptions['query']>;

/** One answer of a list endpoint: where it begins and ends is kept, so that the list goes on in both directions. */
interface LoadedPage<Item> {
  readonly items: readonly Item[];
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Joined pages, in the order of the list. */
interface Loaded<Item> {
  readonly pages: readonly LoadedPage<Item>[];
  /** Whether there are items after the last page. */
  readonly more: boolean;
  readonly total: number | undefined;
}

export interface CursorList<Item> {
  /** Undefined: the first page is on its way, or failed. */
  readonly items: readonly Item[] | undefined;
  readonly total: number | undefined;
  readonly error: unknown;
  readonly more: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  /** Begins anew. */
  readonly reload: () => void;
  /** Appends the next page. */
  readonly loadMore: () => Promise<void>;
  /** Puts what has come ahead of the list since it was read in front of it; how many. Throws ApiFailure. */
  readonly loadNewer: () => Promise<number>;
}

/** Items that are held at most while new ones keep coming; older ones are loaded again when they are asked for. */
const HELD_MAX_ITEMS = 5_000;
const PAGE_ITEMS = 50;
export const PAGE_ITEMS_MAX = 100;

/**
 * A list endpoint read page by page. What was loaded is kept while the page is left and entered again; other parameters
 * are another list.
 */
export function useCursorList<Item>(path: string, params: Params): CursorList<Item> {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['list', path, params] as const, [path, params]);
  const read = useCallback(
    (more: Params, signal?: AbortSignal) =>
      call<ListEnvelope<Item>>(path, {
        query: { ...params, ...more },
        ...(signal === undefined ? {} : { signal }),
      }),
    [path, params],
  );
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Loaded<Item>> => {
      const page = await read({ limit: PAGE_ITEMS }, signal);
      const { hasMore, total } = page.pagination;
      return { pages: [pageOf(page)], more: hasMore, total };
    },
    // Joined pages are never read again behind the back of who reads them.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [loadingMore, setLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<unknown>(null);
  const busy = useRef(false);
  const update = useCallback(
    (change: (loaded: Loaded<Item>) => Loaded<Item>): void => {
      client.setQueryData<Loaded<Item>>(queryKey, (loaded) =>
        loaded === undefined ? loaded : change(loaded),
      );
    },
    [client, queryKey],
  );
  const loadMore = useCallback(async (): Promise<void> => {
    const cursor = client.getQueryData<Loaded<Item>>(queryKey)?.pages.at(-1)?.endCursor;
    if (busy.current || cursor == null) return;
    busy.current = true;
    setLoadingMore(true);
    setMoreError(null);
    try {
      const page = await read({ limit: PAGE_ITEMS_MAX, cursor });
      update(({ pages, total }) => ({
        pages: [...pages, pageOf(page)],
        more: page.pagination.hasMore,
        total,
      }));
    } catch (error) {
      setMoreError(error);
    } finally {
      busy.current = false;
      setLoadingMore(false);
    }
  }, [client, queryKey, read, update]);
  const loadNewer = useCallback(async (): Promise<number> => {
    const cursor = client.getQueryData<Loaded<Item>>(queryKey)?.pages[0]?.startCursor;
    if (cursor == null) {
      const { pages } = await client.fetchQuery<Loaded<Item>>({ queryKey, staleTime: 0 });
      return pages[0]?.items.length ?? 0;
    }
    try {
      const page = await read({ limit: PAGE_ITEMS_MAX, cursor, direction: 'before' });
      update((loaded) => withNewer(loaded, pageOf(page)));
      return page.data.length;
    } catch (error) {
      // Nobody has looked for a day: what was loaded is as old.
      if (!isFailure(error, 'cursor_expired')) throw error;
      await client.resetQueries({ queryKey });
      return 0;
    }
  }, [client, queryKey, read, update]);

  const { data } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const reload = useCallback((): void => {
    setMoreError(null);
    void client.resetQueries({ queryKey });
  }, [client, queryKey]);
  return {
    items,
    total: data?.total,
    error: query.error,
    more: data?.more ?? false,
    loadingMore,
    moreError,
    reload,
    loadMore,
    loadNewer,
  };
}

const pageOf = <Item>({ data, pagination }: ListEnvelope<Item>): LoadedPage<Item> => ({
  items: data,
  startCursor: pagination.startCursor,
  endCursor: pagination.endCursor,
});

/** An empty page has issued the same gap anew, and with it another day. */
function withNewer<Item>(loaded: Loaded<Item>, newer: LoadedPage<Item>): Loaded<Item> {
  const [first, ...rest] = loaded.pages;
  if (newer.items.length === 0 && first !== undefined) {
    return { ...loaded, pages: [{ ...first, startCursor: newer.startCursor }, ...rest] };
  }
  const pages = [newer, ...loaded.pages];
  let held = pages.reduce((sum, { items }) => sum + items.length, 0);
  let { more } = loaded;
  while (held > HELD_MAX_ITEMS && pages.length > 1) {
    held -= pages.pop()?.items.length ?? 0;
    more = true;
  }
  return { ...loaded, pages, more };
}
