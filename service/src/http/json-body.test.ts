import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JSON_DEPTH_MAX } from '../config/limits.ts';
import { jsonExcess } from './json-body.ts';

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
      expect(jsonExcess(text, sizeOf(value))).toBeUndefined();
      const inside = `${'['.repeat(JSON_DEPTH_MAX)}${text}${']'.repeat(JSON_DEPTH_MAX)}`;
      expect(jsonExcess(inside, Number.POSITIVE_INFINITY) === undefined).toBe(depthOf(value) === 0);
    }),
  );
});

test('JSON with too many values is refused', () => {
  expect(jsonExcess('[1,2,3]', 3)).toBeUndefined();
  expect(jsonExcess('[1,2,3]', 2)).toBe('has more than 2 values');
  expect(jsonExcess('{"a,b":"c,[{"}', 1)).toBeUndefined();
  expect(jsonExcess('["\\"",1]', 1)).toBe('has more than 1 values');
  expect(jsonExcess('['.repeat(33), 1_000)).toBe('is nested deeper than 32 levels');
});

test('a text that is not JSON is read to its end, and not beyond', () => {
  for (const text of ['', '"', '"\\', '"\\"', ']]]]', '}{', '\\', ','])
    expect(jsonExcess(text, 10)).toBeUndefined();
});
