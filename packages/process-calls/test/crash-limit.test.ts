import { expect, test } from 'vitest';
import { createCrashLimit } from '../src/crash-limit.ts';

test('each crash within a minute is followed by a longer pause, and the eleventh by no restart', () => {
  const limit = createCrashLimit(1, () => 0);
  const pauses = Array.from({ length: 11 }, () => limit.next());
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, undefined]);
});

test('all of many processes that crash at once are started again soon, but not four times in a minute', () => {
  const limit = createCrashLimit(64, () => 0);
  const pauses = Array.from({ length: 4 }, () => new Set(Array.from({ length: 64 }, () => limit.next())));
  expect(pauses.map((each) => [...each])).toEqual([[50], [100], [200], [undefined]]);
});

test('crashes of more than a minute ago are forgotten', () => {
  let now = 0;
  const limit = createCrashLimit(1, () => now);
  for (let i = 0; i < 10; i++) limit.next();
  now = 60_000;
  expect(limit.next()).toBe(50);
});
