import { expect, test } from 'vitest';
import { formatBytes, formatChange, formatCompact, formatNumber, formatPercent } from './number.ts';

test('numbers have the same style in every browser', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
  expect(formatCompact(12_345)).toBe('12.3K');
  expect(formatPercent(0.125)).toBe('12.5%');
  expect(formatPercent(1 / 3)).toBe('33.3%');
  expect(formatBytes(12_000)).toBe('12KB');
});

test('a change has a sign, except zero', () => {
  expect([0.12, -0.5, 0].map(formatChange)).toEqual(['+12%', '-50%', '0%']);
});
