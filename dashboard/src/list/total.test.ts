import { expect, test } from 'vitest';
import { totalText } from './total.ts';

test.each([
  [{ count: 1, more: false }, '1 mention'],
  [{ count: 1234, more: false }, '1,234 mentions'],
  [{ count: 10_000, more: false }, '10,000 mentions'],
  [{ count: 10_000, more: true }, 'over 10,000 mentions'],
  [{ count: 12, more: true }, 'at least 12 mentions'],
])('the total %j is shown as “%s”', (total, text) => {
  expect(totalText(total, ['mention', 'mentions'])).toBe(text);
});
