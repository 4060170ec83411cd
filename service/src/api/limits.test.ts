import { describe, expect, test } from 'vitest';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { quotaItem, rateLimitHeaders } from './limits.ts';

const DAY_SECONDS = 24 * 60 * 60;
const NOW = Date.parse('2026-06-30T23:59:00Z');
const KEY: AuthenticatedKey = {
  ...{ workspaceId: 'wks_a', keyId: 'key_a', mode: 'live', access: 'read' },
  ...{ companyId: null, tokenVersion: 1, burstLimit: 10, allowsAddress: null },
};
const BURST = { granted: false, remaining: 0, resetMs: 600 };
const QUOTA = { limit: 1000, used: 1 };

describe('rateLimitHeaders', () => {
  test('are none without a limit', () => {
    expect(rateLimitHeaders({ key: { ...KEY, burstLimit: null }, burst: null }, null, NOW)).toEqual({});
  });

  test('name each limit as a structured field of the draft', () => {
    expect(rateLimitHeaders({ key: KEY, burst: BURST }, QUOTA, NOW)).toEqual({
      'ratelimit-policy': '"quota";q=1000;w=2592000, "burst";q=10;w=1',
      ratelimit: '"quota";r=999;t=60, "burst";r=0;t=1',
    });
  });

  test('do not show the quota to a key that is limited to one company', () => {
    expect(rateLimitHeaders({ key: { ...KEY, companyId: 'com_a' }, burst: BURST }, QUOTA, NOW)).toEqual({
      'ratelimit-policy': '"burst";q=10;w=1',
      ratelimit: '"burst";r=0;t=1',
    });
  });
});

describe('quotaItem', () => {
  test.each([
    ['2026-02-01T00:00:00.000Z', 28 * DAY_SECONDS, 28 * DAY_SECONDS],
    ['2028-02-29T23:59:59.500Z', 29 * DAY_SECONDS, 1],
    ['2026-12-31T23:59:59.999Z', 31 * DAY_SECONDS, 1],
    ['2026-12-31T12:00:00.000Z', 31 * DAY_SECONDS, DAY_SECONDS / 2],
  ])('has a window of a calendar month in UTC: %s', (now, windowSeconds, resetSeconds) => {
    const item = quotaItem({ limit: 10, used: 4 }, Date.parse(now));
    expect(item).toEqual({ name: 'quota', limit: 10, windowSeconds, remaining: 6, resetSeconds });
  });

  test('resets in a second if it is used up just after the start of a month', () => {
    const [start, later] = [Date.parse('2026-02-01T00:00:00.100Z'), Date.parse('2026-02-01T00:00:05.000Z')];
    expect(quotaItem({ limit: 10, used: 10 }, start).resetSeconds).toBe(1);
    expect(quotaItem({ limit: 10, used: 9 }, start).resetSeconds).toBe(28 * DAY_SECONDS);
    expect(quotaItem({ limit: 10, used: 10 }, later).resetSeconds).toBe(28 * DAY_SECONDS - 5);
  });

  test('has 0 remaining if the quota was lowered below what is used', () => {
    expect(quotaItem({ limit: 10, used: 25 }, 0).remaining).toBe(0);
  });
});
