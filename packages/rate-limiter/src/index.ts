/** Whether a bucket allows a request, and its state after the request. */
export interface Grant {
  readonly granted: boolean;
  /** Requests that the current window still allows. */
  readonly remaining: number;
  /** Time until the window ends. */
  readonly resetMs: number;
}

/** Counts requests in fixed windows. One limiter decides for all processes of a machine. */
export interface Limiter {
  /** Takes `cost` from the bucket. A cost of 0 only asks. */
  take(bucket: string, limit: number, windowMs: number, cost: number): Promise<Grant>;
}

/** The most buckets of one window length. With more, the oldest one is deleted. */
const MAX_BUCKETS = 100_000;

interface Bucket {
  readonly endsMs: number;
  used: number;
}

/** `clock` returns milliseconds. */
export function createLimiter(clock: () => number): Limiter {
  // There is a table per window length, so the buckets of a table end in the order in which they were opened. And many
  // buckets of one kind (failures of many addresses) do not delete those of another kind (bursts of keys).
  const tables = new Map<number, Table>();
  return {
    take: (name, limit, windowMs, cost) => {
      const now = clock();
      const table = tables.get(windowMs) ?? createTable();
      tables.set(windowMs, table);
      let bucket = table.get(name);
      // A bucket that ends too late was opened before the clock was set back.
      if (bucket === undefined || bucket.endsMs <= now || bucket.endsMs > now + windowMs) {
        bucket = { endsMs: now + windowMs, used: 0 };
        // A request that only asks opens no window.
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
  /** Adds a bucket. Deletes buckets whose window is over, and the oldest one if there is no room. */
  readonly open: (name: string, bucket: Bucket, now: number) => void;
}

function createTable(): Table {
  // A Map keeps the order of insertion.
  const buckets = new Map<string, Bucket>();
  // The iterator is kept: a new one would first skip all entries that were deleted at the front.
  let entries = buckets.entries();
  let first: readonly [string, Bucket] | undefined;
  const oldest = (): readonly [string, Bucket] | undefined => {
    while (first === undefined || buckets.get(first[0]) !== first[1]) {
      const { done, value } = entries.next();
      first = value;
      if (done) {
        // The iterator is at its end. Later buckets need a new one.
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
