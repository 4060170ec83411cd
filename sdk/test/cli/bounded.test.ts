import { expect, test } from 'vitest';
import { fits, RESULT_MAX_CHARACTERS, readBounded } from '../../src/cli/mcp/bounded.ts';

test.each([
  [6, 9_000, 100],
  [12, 4_300, 100],
  [7, 7_200, 20],
])(
  'a page that has only %i items of %i characters is read at most twice again',
  async (items, characters, limit) => {
    const all = Array.from({ length: items }, () => 'x'.repeat(characters));
    expect(items * characters).toBeGreaterThan(RESULT_MAX_CHARACTERS);
    let requests = 0;
    const page = await readBounded({ limit }, async (asked) => {
      requests += 1;
      return { data: all.slice(0, Number(asked.limit)) };
    });
    expect(fits(page)).toBe(true);
    expect(page).toMatchObject({ data: expect.arrayContaining(all.slice(0, 1)) });
    expect(requests).toBeLessThanOrEqual(3);
  },
);

test('an item that is too long for a result has only its id, and those after it are read', async () => {
  const all = ['a', 'b', 'c'].map((id) => ({ id, text: 'x'.repeat(id === 'b' ? 60_000 : 20_000) }));
  const readFrom = (start: number) =>
    readBounded({ limit: 20 }, async ({ limit, fields }) => {
      const items = all.slice(start, start + Number(limit));
      return { data: fields === 'id' ? items.map(({ id }) => ({ id })) : items };
    });
  expect(await readFrom(0)).toEqual({ data: [all[0]] });
  expect(await readFrom(1)).toEqual({ data: [{ id: 'b' }] });
  expect(await readFrom(2)).toEqual({ data: [all[2]] });
});
