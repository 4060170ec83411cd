import { expect, test } from 'vitest';
import { counted } from './plural.ts';

const ENTRY = ['entry', 'entries'] as const;

test.each([
  [0, '0 entries'],
  [1, '1 entry'],
  [2, '2 entries'],
  [1_000, '1,000 entries'],
])('%i has the right form of the noun', (count, text) => {
  expect(counted(count, ENTRY)).toBe(text);
});
