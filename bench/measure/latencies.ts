const P50 = 0.5;
const P95 = 0.95;
const P99 = 0.99;

/** The percentiles of latencies in milliseconds. NaN: there are none. */
export function percentilesOf(latenciesMs: readonly number[]): {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
} {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(P50), p95Ms: at(P95), p99Ms: at(P99) };
}

/** The milliseconds from the commit of a change, by the clock of the database, until now. At least 0. */
export const sinceCommitMs = (createdAt: string): number =>
  Math.max(0, performance.timeOrigin + performance.now() - Date.parse(createdAt));
