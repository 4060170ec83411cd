import { expect, test } from 'vitest';
import { createAttempts, createRepeats } from '../src/attempts.ts';

const failWith = (error: unknown) => () => Promise.reject(error);

test('each part is tried, and the first failure is thrown at the end', async () => {
  const attempts = createAttempts();
  const cause = new Error('refused');
  expect(await attempts.of('a', failWith(cause))).toBeUndefined();
  expect(await attempts.of('b', async () => 2)).toBe(2);
  expect(attempts.end).toThrow(expect.objectContaining({ message: 'a: refused', cause }));
  await attempts.of('c', failWith('late'));
  expect(attempts.end).toThrow('a (the first of 2 failures): refused');
});

test('nothing is thrown if no part failed', async () => {
  const attempts = createAttempts();
  await attempts.of('a', async () => undefined);
  expect(attempts.end).not.toThrow();
});

test('an error that all parts would have is thrown at once', async () => {
  const attempts = createAttempts((error) => error === 'away');
  await expect(attempts.of('a', failWith('away'))).rejects.toBe('away');
  expect(attempts.end).not.toThrow();
});

test('of work that is repeated, the first of several failures in a row is told', async () => {
  const told: string[] = [];
  const attempt = createRepeats((name, error) => told.push(`${name}: ${error}`));
  const fail = (error: string) => attempt('a', failWith(error));
  expect(await fail('first')).toBe(false);
  expect(await fail('second')).toBe(false);
  expect(await attempt('b', failWith('other'))).toBe(false);
  expect(await attempt('a', async () => undefined)).toBe(true);
  expect(await fail('third')).toBe(false);
  expect(told).toEqual(['a: first', 'b: other', 'a: third']);
});
