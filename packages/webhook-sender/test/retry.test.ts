import { expect, test } from 'vitest';
import { ATTEMPTS_MAX, retryPauseMs } from '../src/index.ts';

const HOUR_S = 3600;
const PAUSES_S = [5, 300, 1800, 2 * HOUR_S, 5 * HOUR_S, 10 * HOUR_S, 14 * HOUR_S, 20 * HOUR_S, 24 * HOUR_S];

test('a delivery is tried ten times in about 76 hours', () => {
  const pauses = Array.from({ length: 10 }, (_, index) => retryPauseMs(index + 1, 0.5, undefined));
  expect(pauses).toEqual([...PAUSES_S.map((seconds) => seconds * 1000), undefined]);
  expect(ATTEMPTS_MAX).toBe(10);
  expect(PAUSES_S.reduce((sum, pause) => sum + pause) / HOUR_S).toBeCloseTo(75.6, 1);
});

test('a tenth of each pause is random, in both directions', () => {
  PAUSES_S.forEach((seconds, index) => {
    expect(retryPauseMs(index + 1, 0, undefined)).toBeCloseTo(seconds * 900);
    expect(retryPauseMs(index + 1, 1, undefined)).toBeCloseTo(seconds * 1100);
  });
});

test('Retry-After makes a pause longer, up to a day, and never shorter', () => {
  expect(retryPauseMs(1, 0.5, 60)).toBe(60_000);
  expect(retryPauseMs(2, 0.5, 60)).toBe(300_000);
  expect(retryPauseMs(1, 0.5, 1e9)).toBe(24 * HOUR_S * 1000);
  expect(retryPauseMs(10, 0.5, 60)).toBeUndefined();
});
