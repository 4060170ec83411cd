import type { ListEnvelope } from '@svc/sdk';
import type { InfiniteData } from '@tanstack/react-query';

/** What a page of a list is asked for with; a page without a cursor is the first. */
export interface PageParam {
  readonly limit: number;
  readonly cursor?: string;
  readonly direction?: 'before';
}

export type Page<Item> = ListEnvelope<Item>;
/** Pages in the order of the list. */
export type Pages<Item> = InfiniteData<Page<Item>, PageParam>;

const FIRST_PAGE_ITEMS = 50;
export const PAGE_ITEMS_MAX = 100;
/** Items that are held at most while new ones keep coming; older ones are loaded again when they are asked for. */
export const HELD_MAX_ITEMS = 5_000;

export const FIRST_PAGE: PageParam = { limit: FIRST_PAGE_ITEMS };

/** After the last page; undefined where the list ends. */
export function nextParam<Item>({ pagination }: Page<Item>, { direction }: PageParam): PageParam | undefined {
  const { hasMore, endCursor } = pagination;
  // A page that was read backwards says nothing about what comes after it.
  const more = direction === 'before' || hasMore;
  return more && endCursor !== null ? { limit: PAGE_ITEMS_MAX, cursor: endCursor } : undefined;
}

/** Before the first page: what was added since it was read. Undefined for an empty list, which is no place to start. */
export const previousParam = <Item>({ pagination: { startCursor } }: Page<Item>): PageParam | undefined =>
  startCursor === null ? undefined : { limit: PAGE_ITEMS_MAX, cursor: startCursor, direction: 'before' };

export const itemsOf = <Item>({ pages }: Pick<Pages<Item>, 'pages'>): readonly Item[] =>
  pages.flatMap(({ data }) => data);

/**
 * Joins the first two pages when they fit into one, so that a list that is followed for hours is not thousands of small
 * pages; an empty page only renews the cursor. Drops pages from the end above HELD_MAX_ITEMS.
 */
export function compacted<Item>(all: Pages<Item>): Pages<Item> {
  const pages = [...all.pages];
  const pageParams = [...all.pageParams];
  const [newest, second] = pages;
  if (newest === undefined || second === undefined) return all;
  if (newest.data.length + second.data.length <= PAGE_ITEMS_MAX) {
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
