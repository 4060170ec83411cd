import type { ListEnvelope } from '@svc/sdk';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import type { InfiniteData } from '@tanstack/react-query';

/** Parameters of the request for a page. Without a cursor it is the first page. */
export interface PageParam {
  readonly limit: number;
  readonly cursor?: string;
  readonly direction?: 'before';
}

export type Page<Item> = ListEnvelope<Item>;
/** The loaded pages, in the order of the list. */
export type Pages<Item> = InfiniteData<Page<Item>, PageParam>;

/** The most items that stay loaded while new ones arrive. Older items can be loaded again. */
export const HELD_MAX_ITEMS = 5_000;

export const FIRST_PAGE: PageParam = { limit: PAGE_LIMIT_DEFAULT };

/** Parameters of the page after `page`; undefined at the end of the list. */
export function nextParam<Item>({ pagination }: Page<Item>, { direction }: PageParam): PageParam | undefined {
  const { nextCursor, endCursor } = pagination;
  // That of a page that was read backwards is about the items before it.
  const more = direction === 'before' || nextCursor !== null;
  return more && endCursor !== null ? { limit: PAGE_LIMIT_MAX, cursor: endCursor } : undefined;
}

/** Parameters of the page before `page`, with items that were added since. Undefined for an empty list. */
export const previousParam = <Item>({ pagination: { startCursor } }: Page<Item>): PageParam | undefined =>
  startCursor === null ? undefined : { limit: PAGE_LIMIT_MAX, cursor: startCursor, direction: 'before' };

/** The time up to which the service has searched, if the search can continue after the last page. */
export function searchedTo<Item>({ pages }: Pick<Pages<Item>, 'pages'>): string | undefined {
  const { searchedTo: to, nextCursor, endCursor } = pages.at(-1)?.pagination ?? {};
  // That of a page that was read backwards is about the items before it.
  return nextCursor === endCursor ? to : undefined;
}

export const itemsOf = <Item>({ pages }: Pick<Pages<Item>, 'pages'>): readonly Item[] =>
  pages.flatMap(({ data }) => data);

/** Replaces items, and removes those for which `change` returns null. The pages keep their cursors. */
export const changeItems = <Item>(
  { pages, pageParams }: Pages<Item>,
  change: (item: Item) => Item | null,
): Pages<Item> => ({
  pages: pages.map((page) => ({ ...page, data: page.data.flatMap((item) => change(item) ?? []) })),
  pageParams,
});

/**
 * Joins the first two pages if they fit into one, so that a list that is live for hours does not become thousands of
 * small pages. An empty first page only renews the cursor. If more than HELD_MAX_ITEMS are loaded, drops pages from
 * the end.
 */
export function compactPages<Item>(all: Pages<Item>): Pages<Item> {
  const pages = [...all.pages];
  const pageParams = [...all.pageParams];
  const [newest, second] = pages;
  if (newest === undefined || second === undefined) return all;
  if (newest.data.length + second.data.length <= PAGE_LIMIT_MAX) {
    const pagination = { ...second.pagination, startCursor: newest.pagination.startCursor };
    pages.splice(0, 2, { data: [...newest.data, ...second.data], pagination });
    pageParams.shift();
  }
  let held = pages.reduce((sum, { data }) => sum + data.length, 0);
  while (held > HELD_MAX_ITEMS && pages.length > 1) {
    held -= pages.pop()?.data.length ?? 0;
    pageParams.pop();
  }
  return { pages, pageParams };
}
