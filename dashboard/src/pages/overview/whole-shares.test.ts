import { expect, test } from 'vitest';
import { formatPercent } from '../../format/number.ts';
import { wholeShares } from './whole-shares.ts';

const texts = (counts: readonly number[]): readonly string[] => wholeShares(counts).map(formatPercent);

test('shares add up to 100 %, whatever is rounded', () => {
  expect(texts([1, 1, 1])).toEqual(['33.4%', '33.3%', '33.3%']);
  expect(texts([2, 2, 3])).toEqual(['28.6%', '28.6%', '42.8%']);
  expect(texts([1, 1, 4])).toEqual(['16.7%', '16.7%', '66.6%']);
  expect(texts([0, 0, 0])).toEqual(['0%', '0%', '0%']);
  expect(texts([0, 7, 0])).toEqual(['0%', '100%', '0%']);
  for (let seed = 1; seed <= 500; seed++) {
    const counts = [seed % 7, (seed * 31) % 97, (seed * 17) % 53];
    const sum = wholeShares(counts).reduce((all, share) => all + Math.round(share * 1000), 0);
    expect(sum, `${counts}`).toBe(1000);
  }
});
