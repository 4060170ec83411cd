import { PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import {
  compactPages,
  FIRST_PAGE,
  HELD_MAX_ITEMS,
  itemsOf,
  nextParam,
  type Page,
  type PageParam,
  type Pages,
  previousParam,
  searchedTo,
} from './pages.ts';

/** A page with the items `from` down to `to`, and the cursors of the gaps before and after them. */
const page = (from: number, to: number, hasMore = true): Page<number> => {
  const data = Array.from({ length: from - to + 1 }, (_, i) => from - i);
  return {
    data,
    pagination: {
      nextCursor: hasMore ? `after ${to}` : null,
      hasMore,
      startCursor: `before ${from}`,
      endCursor: `after ${to}`,
    },
  };
};
const NOTHING: Page<number> = {
  data: [],
  pagination: { nextCursor: null, hasMore: false, startCursor: null, endCursor: null },
};
/** The response if there are no newer items: an empty page with a new cursor of the same gap. */
const sameGap = (cursor: string): Page<number> => ({
  data: [],
  pagination: { nextCursor: null, hasMore: false, startCursor: cursor, endCursor: cursor },
});
const BEFORE: PageParam = { limit: PAGE_LIMIT_MAX, cursor: 'before 50', direction: 'before' };
const NEXT: PageParam = { limit: PAGE_LIMIT_MAX, cursor: 'after 1' };

describe('the next page', () => {
  test('starts after the last item, and does not exist at the end of the list', () => {
    expect(nextParam(page(100, 51), FIRST_PAGE)).toEqual({ limit: 100, cursor: 'after 51' });
    expect(nextParam(page(100, 51, false), FIRST_PAGE)).toBeUndefined();
    expect(nextParam(NOTHING, FIRST_PAGE)).toBeUndefined();
  });

  test('exists after a page that was read backwards, because its nextCursor is about the items before it', () => {
    expect(nextParam(page(60, 51, false), BEFORE)).toEqual({ limit: 100, cursor: 'after 51' });
  });
});

test('newer items are read from the start of the first page; an empty list has no page before it', () => {
  expect(previousParam(page(50, 1))).toEqual({ limit: 100, cursor: 'before 50', direction: 'before' });
  expect(previousParam(NOTHING)).toBeUndefined();
});

describe('the end of a search', () => {
  const AT = '2026-03-01T09:30:00Z';
  const stopped = (cursor: string): Page<number> => ({
    data: [],
    pagination: { nextCursor: cursor, hasMore: true, startCursor: 'start', endCursor: 'end', searchedTo: AT },
  });

  test('is that of the last page, if the search can continue after it', () => {
    expect(searchedTo({ pages: [page(50, 1), stopped('end')] })).toBe(AT);
    expect(searchedTo({ pages: [stopped('end'), page(50, 1)] })).toBeUndefined();
  });

  test('is not that of a page that was read backwards, before and after it is joined', () => {
    const before = stopped('start');
    expect(searchedTo({ pages: [before] })).toBeUndefined();
    const joined = compactPages({ pages: [before, stopped('end')], pageParams: [BEFORE, FIRST_PAGE] });
    expect(joined.pages).toHaveLength(1);
    expect(searchedTo(joined)).toBe(AT);
    expect(nextParam(joined.pages[0] ?? NOTHING, FIRST_PAGE)?.cursor).toBe('end');
  });
});

describe('compacting', () => {
  test('keeps every item once, in order, and the cursors at both ends', () => {
    const joined = compactPages({ pages: [page(60, 51), page(50, 1)], pageParams: [BEFORE, FIRST_PAGE] });
    expect(itemsOf(joined)).toEqual(page(60, 1).data);
    expect(joined.pages).toHaveLength(1);
    expect(joined.pageParams).toEqual([FIRST_PAGE]);
    expect(joined.pages[0]?.pagination).toMatchObject({
      startCursor: 'before 60',
      endCursor: 'after 1',
      hasMore: true,
    });
  });

  test('an empty first page only renews the cursor', () => {
    const joined = compactPages({
      pages: [sameGap('again'), page(50, 1, false)],
      pageParams: [BEFORE, FIRST_PAGE],
    });
    expect(joined.pages).toHaveLength(1);
    expect(joined.pages[0]?.pagination).toMatchObject({
      startCursor: 'again',
      endCursor: 'after 1',
      hasMore: false,
    });
  });

  test('changes nothing the second time', () => {
    const once = compactPages({ pages: [page(160, 51), page(50, 1)], pageParams: [BEFORE, FIRST_PAGE] });
    expect(itemsOf(compactPages(once))).toEqual(itemsOf(once));
    const alone: Pages<number> = { pages: [page(50, 1)], pageParams: [FIRST_PAGE] };
    expect(compactPages(alone)).toBe(alone);
  });

  test('limits the items and pages of a list that is live for hours, and the dropped items can be loaded again', () => {
    let all: Pages<number> = { pages: [page(50, 1, false)], pageParams: [FIRST_PAGE] };
    const LAST = 12_000;
    for (let newest = 51; newest <= LAST; newest += 1) {
      all = compactPages({
        pages: [page(newest, newest), ...all.pages],
        pageParams: [BEFORE, ...all.pageParams],
      });
    }
    const items = itemsOf(all);
    expect(items.length).toBeLessThanOrEqual(HELD_MAX_ITEMS);
    expect(items.length).toBeGreaterThan(HELD_MAX_ITEMS - 2 * PAGE_LIMIT_MAX);
    expect(items).toEqual(page(LAST, LAST - items.length + 1).data);
    expect(all.pages.length).toBeLessThanOrEqual(HELD_MAX_ITEMS / PAGE_LIMIT_MAX + 1);
    expect(all.pageParams).toHaveLength(all.pages.length);
    const [last, param] = [all.pages.at(-1), all.pageParams.at(-1)];
    if (last === undefined || param === undefined) throw new Error('nothing is left');
    expect(nextParam(last, param)).toEqual({ ...NEXT, cursor: last.pagination.endCursor });
  });
});
