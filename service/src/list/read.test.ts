import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { DOC_SEPARATOR, type KeysetRow } from './definition.ts';
import { toPage } from './read.ts';

/** Rows in the order of the statement, for a limit of 2. */
const rowOf = (ids: readonly string[], total: number | null = null): KeysetRow => {
  const last = ids.slice(0, 2).at(-1) ?? null;
  return {
    docs: ids.length === 0 ? null : ids.map((id) => `{"id":"${id}"}`).join(DOC_SEPARATOR),
    rows: ids.length,
    first_key: ids.length === 0 ? null : 'k',
    first_id: ids[0] ?? null,
    last_key: last === null ? null : 'k',
    last_id: last,
    total,
  };
};
const GAP = { side: 'after', key: 'k', id: 'z' } as const;
const gapBefore = (id: string) => ({ side: 'before', key: 'k', id });
const gapAfter = (id: string) => ({ side: 'after', key: 'k', id });
const idsOf = (data: string) => (JSON.parse(data) as { id: string }[]).map(({ id }) => id);

describe('toPage', () => {
  test('forward: keeps the order of the rows, and has the gaps at both ends', () => {
    const page = toPage(rowOf(['a', 'b']), 2, 'forward', undefined);
    expect(idsOf(page.data)).toEqual(['a', 'b']);
    expect(page).toMatchObject({ hasMore: false, start: gapBefore('a'), end: gapAfter('b') });
  });

  test('before: reverses the rows, so that the item next to the cursor is last', () => {
    const page = toPage(rowOf(['y', 'x']), 2, 'before', GAP);
    expect(idsOf(page.data)).toEqual(['x', 'y']);
    expect(page).toMatchObject({ hasMore: false, start: gapBefore('x'), end: gapAfter('y') });
  });

  test('a row after the limit shows that the list has more items, and is not on the page', () => {
    const forward = toPage(rowOf(['a', 'b', 'c']), 2, 'forward', undefined);
    expect(idsOf(forward.data)).toEqual(['a', 'b']);
    expect(forward).toMatchObject({ hasMore: true, start: gapBefore('a'), end: gapAfter('b') });
    const back = toPage(rowOf(['y', 'x', 'w']), 2, 'before', GAP);
    expect(idsOf(back.data)).toEqual(['x', 'y']);
    expect(back).toMatchObject({ hasMore: true, start: gapBefore('x'), end: gapAfter('y') });
  });

  test.each(['forward', 'before'] as const)('an empty page keeps the gap of its request: %s', (direction) => {
    expect(toPage(rowOf([]), 2, direction, GAP)).toEqual({
      data: '[]',
      hasMore: false,
      start: GAP,
      end: GAP,
      total: undefined,
      searchedTo: undefined,
    });
    expect(toPage(rowOf([]), 2, direction, undefined)).toMatchObject({ start: null, end: null });
  });

  const KEYS = { searched_key: '2026-03-01 09:30:00.123456+00', began_key: '2026-03-01 10:00:00+00' };
  const ENDED = { ...KEYS, searched_id: 's', began_id: 'b' };
  const at = (side: 'before' | 'after') => ({ side, key: KEYS.searched_key, id: 's' });
  const from = (side: 'before' | 'after') => ({ side, key: KEYS.began_key, id: 'b' });

  test.each([
    [['a'], 'forward', GAP, { start: gapBefore('a'), end: at('after') }],
    [['a'], 'before', GAP, { start: at('before'), end: gapAfter('a') }],
    [[], 'forward', GAP, { start: GAP, end: at('after') }],
    [[], 'before', GAP, { start: at('before'), end: GAP }],
    [['a'], 'forward', undefined, { start: gapBefore('a'), end: at('after') }],
  ] as const)(
    'a search that found %j continues %s from where it ended, if it stopped and if the list ended',
    (ids, direction, from, gaps) => {
      const stopped = toPage({ ...rowOf(ids), ...ENDED, stopped: true }, 2, direction, from);
      expect(stopped).toMatchObject({ ...gaps, hasMore: true, searchedTo: '2026-03-01T09:30:00.123456Z' });
      const ended = toPage({ ...rowOf(ids), ...ENDED, stopped: false }, 2, direction, from);
      expect(ended).toMatchObject({ ...gaps, hasMore: false, searchedTo: undefined });
    },
  );

  test.each([
    ['forward', { start: from('before'), end: at('after') }],
    ['before', { start: at('before'), end: from('after') }],
  ] as const)(
    'an empty first page has the gaps at both ends of its search, if the search stopped: %s',
    (direction, gaps) => {
      const gapsOf = (stopped: boolean) =>
        toPage({ ...rowOf([]), ...ENDED, stopped }, 2, direction, undefined);
      expect(gapsOf(true)).toMatchObject(gaps);
      expect(gapsOf(false)).toMatchObject({ start: null, end: null });
    },
  );

  test.each([
    ['2026-03-01 09:30:00+00', '2026-03-01T09:30:00.000000Z'],
    ['2026-03-01 09:30:00.1+00', '2026-03-01T09:30:00.100000Z'],
    ['2026-03-01 09:30:00.00012+00', '2026-03-01T09:30:00.000120Z'],
    ['2026-03-01T09:30:00.123456Z', '2026-03-01T09:30:00.123456Z'],
    ['50', undefined],
  ])('a search that stopped at %s has searched to %s', (key, searchedTo) => {
    const page = toPage({ ...rowOf(['a']), ...ENDED, searched_key: key, stopped: true }, 2, 'forward', GAP);
    expect(page.searchedTo).toBe(searchedTo);
  });

  test('a search that filled its page continues after its last item, however far it read', () => {
    const page = toPage({ ...rowOf(['a', 'b', 'c']), ...ENDED, stopped: true }, 2, 'forward', GAP);
    expect(page).toMatchObject({ hasMore: true, end: gapAfter('b'), searchedTo: undefined });
  });

  test('a doc that contains the separator as JSON text is not divided', () => {
    const doc = JSON.stringify({ id: 'a', title: `x${DOC_SEPARATOR}{"y` });
    const row = { ...rowOf(['a', 'b', 'c']), docs: [doc, doc, doc].join(DOC_SEPARATOR) };
    for (const direction of ['forward', 'before'] as const) {
      const { data } = toPage(row, 2, direction, undefined);
      expect(JSON.parse(data)).toEqual([JSON.parse(doc), JSON.parse(doc)]);
    }
  });

  test('a page has a total up to the limit of totals', () => {
    for (const [total, shown] of [
      [null, undefined],
      [0, 0],
      [TOTAL_MAX_ITEMS, TOTAL_MAX_ITEMS],
      [TOTAL_MAX_ITEMS + 1, undefined],
    ] as const) {
      expect(toPage(rowOf(['a'], total), 2, 'forward', undefined).total).toBe(shown);
      expect(toPage(rowOf([], total), 2, 'forward', undefined).total).toBe(shown);
    }
  });
});
