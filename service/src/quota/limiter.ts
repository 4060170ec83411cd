import type { Clock } from '../clock.ts';

/** What a bucket says to one more request. */
export interface Grant {
  readonly granted: boolean;
  /** Requests left in the running window. */
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetMs: number;
}

/** Counts requests in fixed windows. One instance per machine decides for all its processes. */
export interface Limiter {
  /** Takes `cost` from the bucket; a cost of 0 only asks. */
  take(bucket: string, limit: number, windowMs: number, cost: number): Promise<Grant>;
}

/** Buckets that are kept at most; beyond it the ones whose window is over are dropped. */
const MAX_BUCKETS = 100_000;

export function createLimiter(clock: Clock): Limiter {
  const buckets = new Map<string, { endsMs: number; used: number }>();
  return {
    take: (name, limit, windowMs, cost) => {
      const now = clock();
      let bucket = buckets.get(name);
      if (bucket === undefined || bucket.endsMs <= now) {
        if (buckets.size >= MAX_BUCKETS) dropEnded(buckets, now);
        bucket = { endsMs: now + windowMs, used: 0 };
        buckets.set(name, bucket);
      }
      const granted = bucket.used + Math.max(cost, 1) <= limit;
      if (granted) bucket.used += cost;
      return Promise.resolve({
        granted,
        remaining: Math.max(limit - bucket.used, 0),
        resetMs: bucket.endsMs - now,
      });
    },
  };
}

function dropEnded(buckets: Map<string, { readonly endsMs: number }>, now: number): void {
  for (const [name, { endsMs }] of buckets) if (endsMs <= now) buckets.delete(name);
  if (buckets.size >= MAX_BUCKETS) buckets.clear();
}
