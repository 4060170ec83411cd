import type { QuotaState } from '../audit-log/append-requests.ts';

/** RateLimit and RateLimit-Policy (IETF draft-ietf-httpapi-ratelimit-headers), one item per limit that is set. */
export interface RateLimitItem {
  readonly name: 'quota' | 'burst';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export const rateLimitHeaders = (items: readonly RateLimitItem[]): Readonly<Record<string, string>> =>
  items.length === 0
    ? {}
    : {
        'ratelimit-policy': items.map((i) => `"${i.name}";q=${i.limit};w=${i.windowSeconds}`).join(', '),
        ratelimit: items.map((i) => `"${i.name}";r=${i.remaining};t=${i.resetSeconds}`).join(', '),
      };

/** The live quota as a rate limit: its window is the calendar month in UTC. */
export function quotaItem({ limit, used }: QuotaState, nowMs: number): RateLimitItem {
  const now = new Date(nowMs);
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return {
    name: 'quota',
    limit,
    windowSeconds: (end - start) / 1000,
    remaining: Math.max(limit - used, 0),
    resetSeconds: Math.ceil((end - nowMs) / 1000),
  };
}
