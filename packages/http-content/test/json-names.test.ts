import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatsName } from '../src/json-names.ts';

const repeats = (text: string): boolean => repeatsName(text, JSON.parse(text));

test('a value that was written as JSON repeats no name', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'large', stringUnit: 'binary' }), (value) => {
      expect(repeats(JSON.stringify(value))).toBe(false);
      expect(repeats(JSON.stringify(value, null, 2))).toBe(false);
    }),
  );
});

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '[{"a":{"b":[{"c":1 , "d":2, "c" : 3}]}}]',
  '{"__proto__":1,"__proto__":2}',
  '{"a:\\"":[],"a:\\"":[]}',
  '{"data":[{"id":"a"}],"data":[{"id":"b"},{"id":"c"}]}',
  '{"data":[{"id":"b"},{"id":"c"}],"data":[]}',
])('a name that is twice in an object is found: %s', (text) => {
  expect(repeats(text)).toBe(true);
});

test.each(['{"a":{"a":[{"a":1},{"a":1}]}}', '{"a":":","b":"\\"a\\":1"}', '":"', '{"__proto__":{"a":1}}'])(
  'the same name in different objects is none: %s',
  (text) => {
    expect(repeats(text)).toBe(false);
  },
);
