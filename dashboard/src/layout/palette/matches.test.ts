import { expect, test } from 'vitest';
import { matches } from './matches.ts';

test.each([
  ['', 'Overview'],
  ['over', 'Overview'],
  ['key create', 'Create key'],
  ['api k', 'API keys'],
  ['zurich', 'Zürich Insurance'],
  ['ZÜR', 'zurich'],
  ['key_01jq', 'key_01jq4d2a9vf8wt3j7z0xm4n6pd'],
  ['ada@exam', 'Ada ada@example.com'],
])('“%s” finds “%s”', (query, text) => {
  expect(matches(query, text)).toBe(true);
});

test.each([
  ['docs', 'Password, second factor, sessions'],
  ['orrin', 'Password, second factor, sessions'],
  ['view', 'Overview'],
  ['create x', 'Create key'],
])('“%s” does not find “%s”: its words begin no word of it', (query, text) => {
  expect(matches(query, text)).toBe(false);
});
