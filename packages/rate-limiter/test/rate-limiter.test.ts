import { beforeEach, describe, expect, test } from 'vitest';
import { createLimiter, type Limiter } from '../src/index.ts';

const WINDOW_MS = 1_000;

let now: number;
let limiter: Limiter;
beforeEach(() => {
  now = 5_000;
  limiter = createLimiter(() => now);
});

const take = (bucket = 'a', cost = 1, limit = 3) => limiter.take(bucket, limit, WINDOW_MS, cost);

describe('a bucket', () => {
  test('grants its limit in a window, and counts down', async () => {
    const grants = [await take(), await take(), await take(), await take(), await take()];
    expect(grants.map(({ granted }) => granted)).toEqual([true, true, true, false, false]);
    expect(grants.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
  });

  test('grants its limit again when the window is over, not a millisecond before', async () => {
    for (let i = 0; i < 4; i++) await take();
    now += WINDOW_MS - 1;
    expect(await take()).toEqual({ granted: false, remaining: 0, resetMs: 1 });
    now += 1;
    expect(await take()).toEqual({ granted: true, remaining: 2, resetMs: WINDOW_MS });
  });

  test('does not count what it refused', async () => {
    for (let i = 0; i < 10; i++) await take();
    expect(await take('a', 1, 4)).toMatchObject({ granted: true, remaining: 0 });
  });

  test('does not wait for a clock that was set back', async () => {
    for (let i = 0; i < 4; i++) await take();
    now -= 3 * WINDOW_MS;
    expect(await take()).toEqual({ granted: true, remaining: 2, resetMs: WINDOW_MS });
  });

  test('is not changed by a cost of 0', async () => {
    for (let i = 0; i < 10; i++) expect(await take('a', 0)).toMatchObject({ granted: true, remaining: 3 });
    for (let i = 0; i < 3; i++) await take();
    expect(await take('a', 0)).toMatchObject({ granted: false, remaining: 0 });
  });

  test('is independent of every other bucket', async () => {
    for (let i = 0; i < 4; i++) await take('a');
    expect(await take('b')).toMatchObject({ granted: true, remaining: 2 });
  });

  test('uses a limit that changed during its window', async () => {
    await take('a', 1, 1);
    expect((await take('a', 1, 1)).granted).toBe(false);
    expect((await take('a', 1, 2)).granted).toBe(true);
    expect(await take('a', 1, 1)).toMatchObject({ granted: false, remaining: 0 });
  });
});

describe('a full table', () => {
  const MAX_BUCKETS = 100_000;
  const LONG_MS = 60_000;
  const fill = async (buckets: number): Promise<void> => {
    for (let i = 0; i < buckets; i++) await take(`address ${i}`, 1, 1);
  };

  test('deletes only the bucket that was opened first', async () => {
    await fill(MAX_BUCKETS);
    expect((await take('one more', 1, 1)).granted).toBe(true);
    const known = [0, 1, 2, MAX_BUCKETS - 1].map((i) => take(`address ${i}`, 0, 1));
    expect((await Promise.all(known)).map(({ granted }) => granted)).toEqual([true, false, false, false]);
  });

  test('has room again when its windows are over', async () => {
    await fill(MAX_BUCKETS);
    now += WINDOW_MS;
    await take('a', 1, 1);
    await fill(MAX_BUCKETS - 1);
    expect((await take('a', 0, 1)).granted).toBe(false);
  });

  test('deletes no bucket with another window length', async () => {
    await limiter.take('long', 1, LONG_MS, 1);
    await fill(2 * MAX_BUCKETS);
    expect((await limiter.take('long', 1, LONG_MS, 1)).granted).toBe(false);
  });

  test('is not filled by requests that only ask', async () => {
    await take('a', 1, 1);
    for (let i = 0; i < 2 * MAX_BUCKETS; i++) await take(`address ${i}`, 0);
    expect((await take('a', 1, 1)).granted).toBe(false);
  });
});
