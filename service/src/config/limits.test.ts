import * as contract from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { KEY_CACHE_SECONDS } from './limits.ts';

test("the limits are those of the specification's section 8", () => {
  expect(contract).toMatchObject({
    PAGE_LIMIT_MIN: 1,
    PAGE_LIMIT_MAX: 100,
    PAGE_LIMIT_DEFAULT: 50,
    CURSOR_LIFETIME_SECONDS: 86_400,
    TOTAL_MAX_ITEMS: 1_000,
    TOKEN_RANDOM_CHARACTERS: 32,
  });
  expect(KEY_CACHE_SECONDS).toBeLessThanOrEqual(60);
});
