import { expect, test } from 'vitest';
import { formatBytes, formatChange, formatCompact, formatNumber, formatPercent } from './number.ts';

test('numbers have the same style in every browser', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
  expect(formatCompact(12_345)).toBe('12.3K');
  expect(formatPercent(0.125)).toBe('12.5%');
  expect(formatPercent(1 / 3)).toBe('33.3%');
  expect([0, 0.0001, 0.99996, 1, 1.2].map(formatPercent)).toEqual(['0%', '0.1%', '99.9%', '100%', '120%']);
});

test('a size has the unit of the limits, after a space, and is never rounded down to one', () => {
  expect([0, 1, 237, 1023].map(formatBytes)).toEqual(['0 B', '1 B', '237 B', '1,023 B']);
  expect([1024, 12_000, 64 * 1024].map(formatBytes)).toEqual(['1 KiB', '11.8 KiB', '64 KiB']);
  expect([64 * 1024 ** 2, 64 * 1024 ** 2 + 1].map(formatBytes)).toEqual(['64 MiB', '64.1 MiB']);
  expect(formatBytes(1024 ** 5 * 3)).toBe('3,072 TiB');
});

test('a change has a sign, except zero', () => {
  expect([0.12, -0.5, 0].map(formatChange)).toEqual(['+12%', '-50%', '0%']);
});
