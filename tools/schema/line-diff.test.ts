import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

test('names the lines that went and came, in their order, and none that stayed', () => {
  expect(lineDiff('a\nb\nc', 'a\nb\nc')).toEqual([]);
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual(['- b', '+ x', '+ d']);
  expect(lineDiff('', 'a')).toEqual(['- ', '+ a']);
});
