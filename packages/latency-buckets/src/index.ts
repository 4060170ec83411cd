/**
 * Latencies in buckets, so that they can be added up per hour. Up to 15 ms, each millisecond has a bucket. Above, each
 * doubling has four buckets, and the middle of a bucket differs from its latencies by at most an eighth.
 */

const EXACT_MS = 16;
const BUCKETS_PER_DOUBLING = 4;

/** The bucket of a latency in whole milliseconds. */
export function latencyBucket(ms: number): number {
  if (ms < EXACT_MS) return Math.max(0, ms);
  const doubling = Math.floor(Math.log2(ms));
  const part = Math.floor((ms * BUCKETS_PER_DOUBLING) / 2 ** doubling) - BUCKETS_PER_DOUBLING;
  return doubling * BUCKETS_PER_DOUBLING + part;
}

/** The least latency of a bucket, in milliseconds. */
function lowerBound(bucket: number): number {
  if (bucket < EXACT_MS) return bucket;
  const doubling = Math.floor(bucket / BUCKETS_PER_DOUBLING);
  return (2 ** doubling * (BUCKETS_PER_DOUBLING + (bucket % BUCKETS_PER_DOUBLING))) / BUCKETS_PER_DOUBLING;
}

export interface LatencyCount {
  readonly bucket: number;
  readonly requests: number;
}

/**
 * The latency that a share of the requests (such as 0.95) did not exceed, in whole milliseconds: the middle of its bucket.
 * Null without requests.
 */
export function latencyQuantile(counts: readonly LatencyCount[], share: number): number | null {
  const total = counts.reduce((sum, { requests }) => sum + requests, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const { bucket, requests } of counts.toSorted((a, b) => a.bucket - b.bucket)) {
    seen += requests;
    if (seen < total * share) continue;
    const lower = lowerBound(bucket);
    return Math.round((lower + lowerBound(bucket + 1) - 1) / 2);
  }
  return null;
}
