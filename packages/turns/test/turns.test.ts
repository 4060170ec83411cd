import { expect, test } from 'vitest';
import { BusyError, createTurns, type TurnLimits, type Turns } from '../src/index.ts';

const turnsOf = (limits: Partial<TurnLimits> = {}): Turns =>
  createTurns({ total: 4, perOwner: 2, waitMs: 60_000, waitingMax: 100, ...limits });

async function run(turns: Turns, owner: string, work: () => Promise<unknown> | unknown): Promise<void> {
  await turns.take(owner);
  try {
    await work();
  } finally {
    turns.leave(owner);
  }
}

test('an owner whose turns never end does not keep another owner from getting turns', async () => {
  const turns = turnsOf();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const begun: number[] = [];
  const stuck = Array.from({ length: 10 }, (_, i) =>
    run(turns, 'stuck', () => {
      begun.push(i);
      return held;
    }),
  );
  await run(turns, 'other', () => undefined);
  expect(begun).toEqual([0, 1]);
  expect(turns.waiting).toBe(8);
  release();
  await Promise.all(stuck);
  expect([begun.length, turns.waiting]).toEqual([10, 0]);
});

test('an owner with a long queue delays another owner by one turn, not by the whole queue', async () => {
  const turns = turnsOf({ total: 1, perOwner: 1 });
  const order: string[] = [];
  const callers = [...Array.from({ length: 5 }, () => 'busy'), 'polite', 'polite', 'another'].map((owner) =>
    run(turns, owner, () => order.push(owner)),
  );
  await Promise.all(callers);
  expect(order).toEqual(['busy', 'busy', 'polite', 'another', 'busy', 'polite', 'busy', 'busy']);
});

test('there are never more turns than allowed, in all and per owner', async () => {
  const turns = turnsOf();
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      run(turns, `owner ${i % 5}`, async () => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
      }),
    ),
  );
  expect(most).toBe(4);
});

test('work that fails returns its turn', async () => {
  const turns = turnsOf({ total: 1, perOwner: 1 });
  const fails = run(turns, 'one', () => Promise.reject(new Error('refused')));
  const next = run(turns, 'one', () => undefined);
  await expect(fails).rejects.toThrow('refused');
  await next;
  expect(turns.take('one')).toBeUndefined();
});

test('a caller that has waited too long is refused, and does not use up a turn', async () => {
  const turns = turnsOf({ total: 1, perOwner: 1, waitMs: 10 });
  expect(turns.take('one')).toBeUndefined();
  await expect(turns.take('one')).rejects.toThrow(BusyError);
  await expect(turns.take('other')).rejects.toThrow(BusyError);
  expect(turns.waiting).toBe(0);
  turns.leave('one');
  expect(turns.take('one')).toBeUndefined();
});

test('callers above the limit are refused at once, and one owner cannot take all places', async () => {
  const turns = turnsOf({ total: 1, perOwner: 1, waitingMax: 4 });
  expect(turns.take('busy')).toBeUndefined();
  const waiting = [turns.take('busy'), turns.take('busy')];
  await expect(turns.take('busy')).rejects.toThrow(BusyError);
  waiting.push(turns.take('polite'), turns.take('another'));
  await expect(turns.take('another')).rejects.toThrow(BusyError);
  for (const owner of ['busy', 'busy', 'polite', 'another', 'busy']) turns.leave(owner);
  await Promise.all(waiting);
  expect(turns.waiting).toBe(0);
});

test('if all places are taken, an owner with fewer callers gets one from the owner with the most', async () => {
  const turns = turnsOf({ total: 1, perOwner: 1, waitingMax: 6 });
  expect(turns.take('running')).toBeUndefined();
  const callers = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'].map(async (owner) => {
    await turns.take(owner);
    turns.leave(owner);
  });
  const answers = Promise.allSettled(callers);
  expect(turns.waiting).toBe(6);
  turns.leave('running');
  const served = (await answers).map(({ status }) => status === 'fulfilled');
  expect(served).toEqual([true, true, false, true, true, false, true, true, false]);
});
