import { LISTED_USAGE_DAYS } from '@svc/service/dashboard/limits';
import { expect, test } from 'vitest';
import { lastDays } from './usage.ts';

const NOW = Date.parse('2026-03-03T00:30:00Z');

test('a key has a number for each of the last days (UTC), oldest first, 0 without requests', () => {
  const days = lastDays(
    [
      { day: '2026-03-03', requests: 5 },
      { day: '2026-03-01', requests: 2 },
    ],
    NOW,
  );
  expect(days).toHaveLength(LISTED_USAGE_DAYS);
  expect(days[0]?.day).toBe('2026-02-25');
  expect(days.map(({ requests }) => requests)).toEqual([0, 0, 0, 0, 2, 0, 5]);
});

test('the key list of a node of an older version, which has no requests, shows 0', () => {
  expect(lastDays(undefined, NOW).map(({ requests }) => requests)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
