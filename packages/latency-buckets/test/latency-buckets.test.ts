import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latencyBucket, latencyQuantile } from '../src/index.ts';

const DAY_MS = 86_400_000;

test('a bucket is exact up to 15 ms, and above that to an eighth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DAY_MS }), (ms) => {
      const shown = latencyQuantile([{ bucket: latencyBucket(ms), requests: 1 }], 0.5) ?? Number.NaN;
      if (ms < 16) expect(shown).toBe(ms);
      else expect(Math.abs(shown - ms)).toBeLessThanOrEqual(ms / 8 + 1);
    }),
  );
});

test('buckets rise with the latency, without gaps', () => {
  let last = 0;
  for (let ms = 1; ms < 5_000; ms++) {
    const bucket = latencyBucket(ms);
    expect(bucket - last === 0 || bucket - last === 1).toBe(true);
    last = bucket;
  }
});

test('a quantile is that of the requests, as exact as the buckets are', () => {
  const counts = Array.from({ length: 10 }, (_, ms) => ({ bucket: ms, requests: 10 })).reverse();
  expect(latencyQuantile(counts, 0.5)).toBe(4);
  expect(latencyQuantile(counts, 0.95)).toBe(9);
  expect(latencyQuantile([], 0.5)).toBeNull();
});
