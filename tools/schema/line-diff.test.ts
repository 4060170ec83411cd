import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

test('returns the removed and the added lines in their order, and no unchanged line', () => {
  expect(lineDiff('a\nb\nc', 'a\nb\nc')).toEqual([]);
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual(['- b', '+ x', '+ d']);
  expect(lineDiff('', 'a')).toEqual(['- ', '+ a']);
});
