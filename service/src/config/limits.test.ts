import { expect, test } from 'vitest';
import * as limits from './limits.ts';

test("the limits are those of the specification's section 8", () => {
  expect(limits).toMatchObject({
    PAGE_LIMIT_MIN: 1,
    PAGE_LIMIT_MAX: 100,
    PAGE_LIMIT_DEFAULT: 50,
    CURSOR_LIFETIME_SECONDS: 86_400,
    TOTAL_MAX_ITEMS: 1_000,
    // 32 characters of base64url.
    TOKEN_RANDOM_BYTES: (32 * 6) / 8,
  });
  expect(limits.KEY_CACHE_SECONDS).toBeLessThanOrEqual(60);
});
