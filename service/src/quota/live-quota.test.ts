import { describe, expect, test } from 'vitest';
import { quotaItem, rateLimitHeaders } from './live-quota.ts';

const DAY_SECONDS = 24 * 60 * 60;

describe('rateLimitHeaders', () => {
  test('are none without a limit', () => {
    expect(rateLimitHeaders([])).toEqual({});
  });

  test('name each limit as a structured field of the draft', () => {
    const quota = {
      name: 'quota',
      limit: 1000,
      windowSeconds: 2_592_000,
      remaining: 999,
      resetSeconds: 60,
    } as const;
    const burst = { name: 'burst', limit: 10, windowSeconds: 1, remaining: 0, resetSeconds: 1 } as const;
    expect(rateLimitHeaders([quota, burst])).toEqual({
      'ratelimit-policy': '"quota";q=1000;w=2592000, "burst";q=10;w=1',
      ratelimit: '"quota";r=999;t=60, "burst";r=0;t=1',
    });
  });
});

describe('quotaItem', () => {
  test.each([
    ['2026-02-01T00:00:00.000Z', 28 * DAY_SECONDS, 28 * DAY_SECONDS],
    ['2028-02-29T23:59:59.500Z', 29 * DAY_SECONDS, 1],
    ['2026-12-31T23:59:59.999Z', 31 * DAY_SECONDS, 1],
    ['2026-12-31T12:00:00.000Z', 31 * DAY_SECONDS, DAY_SECONDS / 2],
  ])('its window is the calendar month in UTC, with its end: %s', (now, windowSeconds, resetSeconds) => {
    const item = quotaItem({ limit: 10, used: 4 }, Date.parse(now));
    expect(item).toEqual({ name: 'quota', limit: 10, windowSeconds, remaining: 6, resetSeconds });
  });

  test('has nothing left, not less than nothing, when the quota was lowered below what is used', () => {
    expect(quotaItem({ limit: 10, used: 25 }, 0).remaining).toBe(0);
  });
});
