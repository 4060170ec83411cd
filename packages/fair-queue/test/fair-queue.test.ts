import { describe, expect, test } from 'vitest';
import { createFairQueue, type FairQueue, type FairQueueLimits } from '../src/index.ts';

const LIMITS: FairQueueLimits = { entries: 8, bytes: 1_000_000, waitMs: 60_000, stalledMs: 60_000 };
const any = (): boolean => true;

interface Entry {
  readonly owner: string;
  readonly name: string;
  readonly sinceMs: number;
  readonly late: () => void;
}

const createQueue = (limits: FairQueueLimits): FairQueue<Entry> =>
  createFairQueue(limits, {
    ownerOf: ({ owner }) => owner,
    bytesOf: ({ name }) => name.length,
    addedAt: ({ sinceMs }) => sinceMs,
    onLate: ({ late }) => late(),
  });

/** An entry, and a promise that resolves if nobody takes the entry in time. */
function entry(owner: string, name = 'entry'): { readonly entry: Entry; readonly late: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { entry: { owner, name, sinceMs: performance.now(), late: resolve }, late: promise };
}

const namesIn = (group: ReadonlyMap<string, readonly Entry[]>): Record<string, readonly string[]> =>
  Object.fromEntries([...group].map(([owner, entries]) => [owner, entries.map(({ name }) => name)]));

describe('the queue', () => {
  test('accepts no more entries than its limit, and half of them per owner', () => {
    const queue = createQueue(LIMITS);
    const added = (owner: string): number =>
      Array.from({ length: 10 }, () => queue.add(entry(owner).entry)).filter(Boolean).length;
    expect([added('a'), added('b'), added('c')]).toEqual([4, 4, 0]);
    queue.takeGroup(1, any);
    expect(queue.add(entry('c').entry)).toBe(true);
  });

  test('accepts no more bytes than its limit, and half of them per owner', () => {
    const queue = createQueue({ ...LIMITS, entries: 1_000, bytes: 8_000 });
    const long = 'x'.repeat(1_500);
    const added = (owner: string): number =>
      Array.from({ length: 10 }, () => queue.add(entry(owner, long).entry)).filter(Boolean).length;
    expect([added('a'), added('b'), added('c')]).toEqual([2, 2, 1]);
  });

  test('forms groups of all owners that wait, in the order of their entries, also if one has many entries', () => {
    const queue = createQueue({ ...LIMITS, entries: 100 });
    for (let i = 0; i < 20; i++) queue.add(entry('b', `b${i}`).entry);
    queue.add(entry('a', 'a0').entry);
    expect(namesIn(queue.takeGroup(4, any))).toEqual({ a: ['a0'], b: ['b0', 'b1', 'b2'] });
    expect(namesIn(queue.takeGroup(2, any))).toEqual({ b: ['b3', 'b4'] });
    expect(namesIn(queue.takeGroup(2, (owner) => owner === 'a'))).toEqual({});
  });

  test('serves first the owners that were served longest ago, whatever their ids are', () => {
    const queue = createQueue({ ...LIMITS, entries: 100 });
    const ids = ['e', 'd', 'c', 'b', 'a'];
    for (const id of ids) for (let i = 0; i < 4; i++) queue.add(entry(id).entry);
    const served = Array.from({ length: 5 }, () => [...queue.takeGroup(2, any).keys()].sort().join(''));
    expect(served).toEqual(['de', 'bc', 'ae', 'cd', 'be']);
  });

  test('takes entries that were put back before entries that were added later', () => {
    const queue = createQueue(LIMITS);
    queue.add(entry('a', 'first').entry);
    const group = queue.takeGroup(1, any);
    queue.add(entry('a', 'second').entry);
    queue.putBack(group);
    expect(namesIn(queue.takeGroup(8, any))).toEqual({ a: ['first', 'second'] });
  });

  test('removes an entry that is not taken in time, and has room again', async () => {
    const queue = createQueue({ ...LIMITS, entries: 2, waitMs: 20 });
    const late = entry('a');
    expect([queue.add(late.entry), queue.add(entry('a').entry)]).toEqual([true, false]);
    await late.late;
    expect(queue.add(entry('a').entry)).toBe(true);
    queue.takeGroup(1, any);
  });

  test('removes an entry that was put back when its first wait ends, also after others were added', async () => {
    const queue = createQueue({ ...LIMITS, waitMs: 60 });
    const [early, late] = [entry('a'), entry('b')];
    queue.add(early.entry);
    const group = queue.takeGroup(1, any);
    await expect.poll(() => performance.now() - early.entry.sinceMs, { interval: 5 }).toBeGreaterThan(30);
    // Its deadline is 60 ms later than that of the entry above.
    queue.add({ ...late.entry, sinceMs: early.entry.sinceMs + 60 });
    queue.putBack(group);
    await early.late;
    expect(namesIn(queue.takeGroup(8, any))).toEqual({ b: ['entry'] });
  });

  test('returns the owners that wait; one whose entries are put back goes to the end', () => {
    const queue = createQueue(LIMITS);
    for (const owner of ['a', 'a', 'b', 'c']) queue.add(entry(owner).entry);
    expect(queue.waiting((owner) => owner !== 'b')).toEqual(['a', 'c']);
    queue.putBack(queue.takeGroup(1, (owner) => owner === 'a'));
    expect(queue.waiting(any)).toEqual(['b', 'c', 'a']);
    queue.takeGroup(8, any);
  });

  test('refuses entries of an owner whose oldest entry has waited too long, and accepts those of others', async () => {
    const queue = createQueue({ ...LIMITS, waitMs: 60, stalledMs: 10 });
    const oldest = entry('a');
    queue.add(oldest.entry);
    const before = performance.now();
    await expect.poll(() => performance.now() - before, { interval: 5 }).toBeGreaterThan(15);
    expect([queue.add(entry('a').entry), queue.add(entry('b').entry)]).toEqual([false, true]);
    await oldest.late;
    queue.takeGroup(8, any);
  });
});
