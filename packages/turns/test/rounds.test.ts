import { expect, test } from 'vitest';
import { createRounds, type Outcome } from '../src/rounds.ts';

const PAGE = 100;

/** Owners with work, and rounds that try them. Each attempt takes `attemptMs`. */
function work({ owners, attemptMs = 1 }: { owners: readonly string[]; attemptMs?: number }) {
  let nowMs = 0;
  const left = new Set(owners);
  const outcomes = new Map<string, Outcome>();
  const rounds = createRounds(() => nowMs);
  let ended = true;
  const run = async () => {
    const tried: string[] = [];
    ended = await rounds.run({
      ownersAfter: async (last) =>
        [...left]
          .filter((owner) => owner > last)
          .sort()
          .slice(0, PAGE),
      attempt: async (owner) => {
        tried.push(owner);
        nowMs += attemptMs;
        const outcome = outcomes.get(owner) ?? 'done';
        if (outcome === 'done') left.delete(owner);
        if (outcome === 'failed') throw new Error(owner);
        return outcome;
      },
      failed: () => 'failed',
    });
    return tried;
  };
  return {
    run,
    left,
    hasEnded: () => ended,
    set: (some: readonly string[], outcome: Outcome) => {
      for (const owner of some) outcomes.set(owner, outcome);
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(5, '0')}`);

test.each(['failed', 'busy'] as const)('5,000 owners that are %s delay no other', async (outcome) => {
  const stuck = names('a', 5_000);
  const { run, set, left, pass } = work({ owners: [...stuck, 'z'] });
  set(stuck, outcome);
  await run();
  await run();
  expect(left).not.toContain('z');
  for (let round = 0; round < 5; round++) {
    pass(1_000);
    left.add('b').add('z');
    await run();
    expect(left).toHaveLength(stuck.length);
  }
});

test('owners that failed are tried again after a pause, longest waiting first, until they are done', async () => {
  const stuck = names('a', 1_500);
  const { run, set, left, pass } = work({ owners: stuck.slice(500) });
  set(stuck, 'failed');
  expect(await run()).toEqual(stuck.slice(500));
  for (const owner of stuck) left.add(owner);
  pass(1_000);
  // First those that have not failed yet, then for a second those that failed first.
  expect(await run()).toEqual([...stuck.slice(0, 500), ...stuck.slice(500)]);
  // The second pause is longer.
  expect(await run()).toEqual(stuck.slice(0, 500));
  set(stuck, 'done');
  for (let round = 0; round < 4; round++) {
    pass(1_000);
    await run();
  }
  expect(left).toHaveLength(0);
});

test('the work of a round is bounded, however slow the attempts are', async () => {
  const { run, set, hasEnded } = work({ owners: names('a', 7), attemptMs: 1_000 });
  set(names('a', 7), 'failed');
  expect([await run(), hasEnded()]).toEqual([names('a', 3), false]);
  expect([await run(), hasEnded()]).toEqual([names('a', 6).slice(3), false]);
  await run();
  expect(hasEnded()).toBe(true);
});

test('a busy owner is tried again at once, for a short time', async () => {
  const { run, set, left } = work({ owners: ['a', 'b'], attemptMs: 600 });
  set(['a'], 'busy');
  expect(await run()).toEqual(['a', 'b', 'a']);
  expect([...left]).toEqual(['a']);
});

test('after an error that is not of an owner, the next round goes on with the others', async () => {
  const rounds = createRounds();
  const tried: string[] = [];
  const run = (away: boolean) =>
    rounds.run({
      ownersAfter: async (last) => ['a', 'b', 'c'].filter((owner) => owner > last),
      attempt: async (owner) => {
        tried.push(owner);
        if (away && owner === 'b') throw new Error('away');
        return 'done';
      },
      failed: (error) => {
        throw error;
      },
    });
  await expect(run(true)).rejects.toThrow('away');
  await run(false);
  await run(false);
  expect(tried).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});
