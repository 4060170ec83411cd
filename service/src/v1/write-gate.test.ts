import { expect, test } from 'vitest';
import { createWriteGate } from './write-gate.ts';

const CONNECTIONS = 6;

test('a workspace whose writes do not end leaves room to another one', async () => {
  const gate = createWriteGate(CONNECTIONS);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const stuck = Array.from({ length: 10 }, (_, i) =>
    gate.run('stuck', () => {
      begun.push(`stuck ${i}`);
      return held;
    }),
  );
  expect(await gate.run('other', async () => 'done')).toBe('done');
  expect(begun).toEqual(['stuck 0', 'stuck 1', 'stuck 2']);
  release();
  await Promise.all(stuck);
  expect(begun).toHaveLength(10);
});

test('all workspaces together leave connections to those who read', async () => {
  const gate = createWriteGate(CONNECTIONS);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const writes = Array.from({ length: 20 }, (_, i) =>
    gate.run(`workspace ${i}`, async () => {
      running += 1;
      most = Math.max(most, running);
      await held;
      running -= 1;
    }),
  );
  release();
  await Promise.all(writes);
  expect(most).toBe(CONNECTIONS - 2);
});

test('a write that fails makes room for the next one, in the order in which they came', async () => {
  const gate = createWriteGate(1);
  const order: number[] = [];
  const writes = [0, 1, 2].map((i) =>
    gate.run('one', async () => {
      order.push(i);
      if (i === 0) throw new Error('refused');
    }),
  );
  expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(order).toEqual([0, 1, 2]);
});

test('a write that has waited too long for its turn is refused as unavailable, and takes nobody else’s turn', async () => {
  const gate = createWriteGate(1, 10);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const order: string[] = [];
  const stuck = gate.run('one', () => held);
  const refused = ['a', 'b'].map((name) => gate.run('one', async () => void order.push(name)));
  expect(await Promise.allSettled(refused)).toMatchObject([
    { status: 'rejected', reason: { code: 'unavailable' } },
    { status: 'rejected', reason: { code: 'unavailable' } },
  ]);
  release();
  await stuck;
  await gate.run('one', async () => void order.push('c'));
  expect(order).toEqual(['c']);
});
