import { expect, test } from 'vitest';
import { createSampler, FORCED_PER_SECOND } from '../src/sampler.ts';

/** A sampler with a clock of the test, whose random numbers are never below the ratio. */
function samplerWith(sampling: { readonly ratio: number; readonly parentBased: boolean }, random = 0.999) {
  const clock = { ms: 0 };
  const sampler = createSampler(sampling, { nowMs: () => clock.ms, random: () => random });
  const countOf = (times: number, parent: boolean | undefined): number =>
    Array.from({ length: times }, () => sampler.isSampled(parent)).filter(Boolean).length;
  return { clock, countOf };
}

test('clients can have only so many requests traced per second, also after a pause', () => {
  const { clock, countOf } = samplerWith({ ratio: 0, parentBased: true });
  expect(countOf(1_000, true)).toBe(FORCED_PER_SECOND);
  clock.ms = 500;
  expect(countOf(1_000, true)).toBe(FORCED_PER_SECOND / 2);
  clock.ms = 3_600_000;
  expect(countOf(1_000, true)).toBe(FORCED_PER_SECOND);
});

test('beyond that, they are sampled like requests without a traceparent', () => {
  const { countOf } = samplerWith({ ratio: 0.5, parentBased: true }, 0.4);
  expect(countOf(1_000, true)).toBe(1_000);
  const unlucky = samplerWith({ ratio: 0.5, parentBased: true }, 0.6);
  expect(unlucky.countOf(1_000, true)).toBe(FORCED_PER_SECOND);
});

test('a client that does not trace its request is not traced, if the parent decides', () => {
  expect(samplerWith({ ratio: 1, parentBased: true }).countOf(10, false)).toBe(0);
  expect(samplerWith({ ratio: 1, parentBased: false }).countOf(10, false)).toBe(10);
});

test('if the parent does not decide, no client can have a request traced', () => {
  expect(samplerWith({ ratio: 0, parentBased: false }).countOf(1_000, true)).toBe(0);
});

test.each([0, 0.1, 1])('a ratio of %d is the share of the requests', (ratio) => {
  const sampler = createSampler({ ratio, parentBased: true });
  const traced = Array.from({ length: 20_000 }, () => sampler.isSampled(undefined)).filter(Boolean).length;
  expect(traced / 20_000).toBeGreaterThanOrEqual(ratio * 0.85);
  expect(traced / 20_000).toBeLessThanOrEqual(ratio * 1.15);
});
