import type { Clock } from '../config/time.ts';

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

/** Buckets of one length of window that are kept at most; beyond it the one that was opened first is forgotten. */
const MAX_BUCKETS = 100_000;

interface Bucket {
  readonly endsMs: number;
  used: number;
}

export function createLimiter(clock: Clock): Limiter {
  // By the length of their windows: so they end in the order in which they were opened, and many of one kind (failures
  // of many addresses) push out none of another (bursts of keys).
  const tables = new Map<number, Table>();
  return {
    take: (name, limit, windowMs, cost) => {
      const now = clock();
      const table = tables.get(windowMs) ?? createTable();
      tables.set(windowMs, table);
      let bucket = table.get(name);
      // One that ends later than it can was opened before the clock was set back.
      if (bucket === undefined || bucket.endsMs <= now || bucket.endsMs > now + windowMs) {
        bucket = { endsMs: now + windowMs, used: 0 };
        // Who only asks opens no window.
        if (cost > 0) table.open(name, bucket, now);
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

interface Table {
  readonly get: (name: string) => Bucket | undefined;
  /** Puts a bucket in, for those whose window is over, or for the oldest when there is no room. */
  readonly open: (name: string, bucket: Bucket, now: number) => void;
}

function createTable(): Table {
  // A Map keeps the order of insertion.
  const buckets = new Map<string, Bucket>();
  // One iterator over it for good: a new one would pass over everything that was deleted at the front.
  let entries = buckets.entries();
  let first: readonly [string, Bucket] | undefined;
  const oldest = (): readonly [string, Bucket] | undefined => {
    while (first === undefined || buckets.get(first[0]) !== first[1]) {
      const { done, value } = entries.next();
      first = value;
      if (done) {
        // It has seen all there is; what comes is for another one.
        entries = buckets.entries();
        return undefined;
      }
    }
    return first;
  };
  return {
    get: (name) => buckets.get(name),
    open: (name, bucket, now) => {
      buckets.delete(name);
      for (let old = oldest(); old !== undefined; old = oldest()) {
        if (old[1].endsMs > now && buckets.size < MAX_BUCKETS) break;
        buckets.delete(old[0]);
      }
      buckets.set(name, bucket);
    },
  };
}
