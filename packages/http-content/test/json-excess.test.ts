import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonExcess } from '../src/json-excess.ts';

const DEPTH = 32;
const excessOf = (text: string, values: number) => jsonExcess(text, { values, depth: DEPTH });

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((most: number, one) => Math.max(most, depthOf(one)), 0)
    : 0;
/** An empty array or object counts twice. */
const sizeOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.values(value);
  return members.length === 0 ? 2 : members.reduce((sum: number, one) => sum + sizeOf(one), 1);
};

test('JSON is refused only for its depth and the number of its values', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'large', maxDepth: 8, stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value);
      expect(excessOf(text, sizeOf(value))).toBeUndefined();
      const inside = `${'['.repeat(DEPTH)}${text}${']'.repeat(DEPTH)}`;
      expect(excessOf(inside, Number.POSITIVE_INFINITY) === undefined).toBe(depthOf(value) === 0);
    }),
  );
});

test('JSON with too many values is refused', () => {
  expect(excessOf('[1,2,3]', 3)).toBeUndefined();
  expect(excessOf('[1,2,3]', 2)).toBe('has more than 2 values');
  expect(excessOf('{"a,b":"c,[{"}', 1)).toBeUndefined();
  expect(excessOf('["\\"",1]', 1)).toBe('has more than 1 values');
  expect(excessOf('['.repeat(33), 1_000)).toBe('is nested deeper than 32 levels');
});

test('a text that is not JSON is read to its end, and not beyond', () => {
  for (const text of ['', '"', '"\\', '"\\"', ']]]]', '}{', '\\', ','])
    expect(excessOf(text, 10)).toBeUndefined();
});
