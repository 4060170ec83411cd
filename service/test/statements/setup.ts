import { afterAll, expect } from 'vitest';
import { refused } from './refuse-undeclared.ts';

// The service may handle the error of a refused statement, so the file fails in any case.
afterAll(() => {
  expect(refused.splice(0)).toEqual([]);
});
