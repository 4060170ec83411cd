import { expect, test } from 'vitest';
import { pagesOf } from './pages.ts';

/** The pages of two numbers each, from 1 on. `visit` is called with each page. */
async function readTo(newest: number, visit: () => void = () => undefined, signal?: AbortSignal) {
  const starts: number[] = [];
  const pages: (readonly number[])[] = [];
  const read = async (last = 0) => {
    starts.push(last);
    return { rows: [last + 1, last + 2].filter((each) => each <= newest) };
  };
  for await (const rows of pagesOf<number>(2, read, signal)) {
    pages.push(rows);
    visit();
  }
  return { pages, starts };
}

test('each page starts after the last row, and a short page is the last one', async () => {
  expect(await readTo(5)).toEqual({ pages: [[1, 2], [3, 4], [5]], starts: [0, 2, 4] });
});

test('an empty page is the last one and is left out', async () => {
  expect(await readTo(2)).toEqual({ pages: [[1, 2]], starts: [0, 2] });
  expect(await readTo(0)).toEqual({ pages: [], starts: [0] });
});

test('the signal ends it before the next page', async () => {
  const stop = new AbortController();
  expect(await readTo(5, () => stop.abort(), stop.signal)).toEqual({ pages: [[1, 2]], starts: [0] });
  expect(await readTo(5, undefined, stop.signal)).toEqual({ pages: [], starts: [] });
});
