import { expect, test } from 'vitest';
import { requestsByKey, USAGE_DAYS } from './usage.ts';

const NOW = Date.parse('2026-03-03T00:30:00Z');
const month = { startsAt: '', endsAt: '', used: 0, limit: null };
const row = (day: string, keyId: string, requests: number) => ({ day, keyId, requests, errors: 0 });

test('a key has a number for each of the last days (UTC), oldest first, 0 without requests', () => {
  const data = [row('2026-03-03', 'key_a', 5), row('2026-03-01', 'key_a', 2), row('2026-03-02', 'key_b', 9)];
  const days = requestsByKey({ data, month }, NOW)('key_a');
  expect(days).toHaveLength(USAGE_DAYS);
  expect(days[0]?.day).toBe('2026-02-25');
  expect(days.map(({ requests }) => requests)).toEqual([0, 0, 0, 0, 2, 0, 5]);
});
