/** The shares are shown in percent with one digit after the point. */
const STEPS = 1000;

/**
 * The share of each count, from 0 to 1, in thousandths that add up to exactly 1: those that are rounded down by the most are
 * rounded up instead. All are 0 if there is nothing to count.
 */
export function wholeShares(counts: readonly number[]): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (count / total) * STEPS);
  const steps = exact.map(Math.floor);
  const missing = STEPS - steps.reduce((sum, step) => sum + step, 0);
  const largest = exact.map((value, i) => ({ i, rest: value % 1 })).toSorted((a, b) => b.rest - a.rest);
  for (const { i } of largest.slice(0, missing)) steps[i] = (steps[i] ?? 0) + 1;
  return steps.map((step) => step / STEPS);
}
