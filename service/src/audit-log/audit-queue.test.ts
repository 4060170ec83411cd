import { BusyError } from '@svc/turns';
import { describe, expect, test } from 'vitest';
import type { Outcome } from './append-requests.ts';
import { type AuditQueueLimits, createAuditQueue, type Pending } from './audit-queue.ts';

const LIMITS: AuditQueueLimits = { entries: 8, bytes: 1_000_000, waitMs: 60_000, stalledMs: 60_000 };
const any = (): boolean => true;

interface Entry {
  readonly pending: Pending;
  readonly outcome: Promise<Outcome>;
}

function entry(workspaceId: string, keyId = 'key', path = '/v1/audits'): Entry {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const request = {
    ...{ workspaceId, keyId, tokenVersion: 1, counted: true, failed: false, durationMs: 1 },
    entry: { kind: 'api.request', keyId, actor: null, path } as const,
  };
  return { pending: { ...request, sinceMs: performance.now(), resolve, reject }, outcome: promise };
}

const keysIn = (group: ReadonlyMap<string, readonly Pending[]>): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...group].map(([workspaceId, pending]) => [workspaceId, pending.map(({ keyId }) => keyId)]),
  );

describe('the queue of audit entries', () => {
  test('accepts no more entries than its limit, and half of them per workspace', () => {
    const queue = createAuditQueue(LIMITS);
    const added = (workspaceId: string): number =>
      Array.from({ length: 10 }, () => queue.add(entry(workspaceId).pending)).filter(Boolean).length;
    expect([added('a'), added('b'), added('c')]).toEqual([4, 4, 0]);
    queue.takeGroup(1, any);
    expect(queue.add(entry('c').pending)).toBe(true);
  });

  test('accepts no more bytes than its limit, and half of them per workspace', () => {
    const queue = createAuditQueue({ ...LIMITS, entries: 1_000, bytes: 8_000 });
    const long = 'x'.repeat(1_500);
    const added = (workspaceId: string): number =>
      Array.from({ length: 10 }, () => queue.add(entry(workspaceId, 'key', long).pending)).filter(Boolean)
        .length;
    expect([added('a'), added('b'), added('c')]).toEqual([1, 1, 1]);
  });

  test('forms groups of all workspaces that wait, in the order of their entries, also if one has many entries', () => {
    const queue = createAuditQueue({ ...LIMITS, entries: 100 });
    for (let i = 0; i < 20; i++) queue.add(entry('b', `b${i}`).pending);
    queue.add(entry('a', 'a0').pending);
    expect(keysIn(queue.takeGroup(4, any))).toEqual({ a: ['a0'], b: ['b0', 'b1', 'b2'] });
    expect(keysIn(queue.takeGroup(2, any))).toEqual({ b: ['b3', 'b4'] });
    expect(keysIn(queue.takeGroup(2, (workspaceId) => workspaceId === 'a'))).toEqual({});
  });

  test('serves first the workspaces that were served longest ago, whatever their ids are', () => {
    const queue = createAuditQueue({ ...LIMITS, entries: 100 });
    const ids = ['e', 'd', 'c', 'b', 'a'];
    for (const id of ids) for (let i = 0; i < 4; i++) queue.add(entry(id).pending);
    const served = Array.from({ length: 5 }, () => [...queue.takeGroup(2, any).keys()].sort().join(''));
    expect(served).toEqual(['de', 'bc', 'ae', 'cd', 'be']);
  });

  test('takes entries that were put back before entries that were added later', () => {
    const queue = createAuditQueue(LIMITS);
    queue.add(entry('a', 'first').pending);
    const group = queue.takeGroup(1, any);
    queue.add(entry('a', 'second').pending);
    queue.putBack(group);
    expect(keysIn(queue.takeGroup(8, any))).toEqual({ a: ['first', 'second'] });
  });

  test('rejects an entry that is not taken in time, and has room again', async () => {
    const queue = createAuditQueue({ ...LIMITS, entries: 2, waitMs: 20 });
    const late = entry('a');
    expect([queue.add(late.pending), queue.add(entry('a').pending)]).toEqual([true, false]);
    await expect(late.outcome).rejects.toBeInstanceOf(BusyError);
    expect(queue.add(entry('a').pending)).toBe(true);
    queue.takeGroup(1, any);
  });

  test('rejects an entry that was put back when its first wait ends, also after others were added', async () => {
    const queue = createAuditQueue({ ...LIMITS, waitMs: 60 });
    const [early, late] = [entry('a'), entry('b')];
    queue.add(early.pending);
    const group = queue.takeGroup(1, any);
    await expect.poll(() => performance.now() - early.pending.sinceMs, { interval: 5 }).toBeGreaterThan(30);
    // Its deadline is 60 ms later than that of the entry above.
    queue.add({ ...late.pending, sinceMs: early.pending.sinceMs + 60 });
    queue.putBack(group);
    await expect(early.outcome).rejects.toBeInstanceOf(BusyError);
    expect(keysIn(queue.takeGroup(8, any))).toEqual({ b: ['key'] });
  });

  test('returns the workspaces that wait; one whose entries are put back goes to the end', () => {
    const queue = createAuditQueue(LIMITS);
    for (const workspaceId of ['a', 'a', 'b', 'c']) queue.add(entry(workspaceId).pending);
    expect(queue.waiting((workspaceId) => workspaceId !== 'b')).toEqual(['a', 'c']);
    queue.putBack(queue.takeGroup(1, (workspaceId) => workspaceId === 'a'));
    expect(queue.waiting(any)).toEqual(['b', 'c', 'a']);
    queue.takeGroup(8, any);
  });

  test('refuses entries of a workspace whose oldest entry has waited too long, and accepts those of others', async () => {
    const queue = createAuditQueue({ ...LIMITS, waitMs: 60, stalledMs: 10 });
    const oldest = entry('a');
    queue.add(oldest.pending);
    const before = performance.now();
    await expect.poll(() => performance.now() - before, { interval: 5 }).toBeGreaterThan(15);
    expect([queue.add(entry('a').pending), queue.add(entry('b').pending)]).toEqual([false, true]);
    await expect(oldest.outcome).rejects.toBeInstanceOf(BusyError);
    queue.takeGroup(8, any);
  });
});
