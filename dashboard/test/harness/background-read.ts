import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Shows the tab again after a while. Data older than 15 seconds is then read again. Needs `page.clock.install()`. */
export async function readAgain(page: Page): Promise<void> {
  await page.clock.fastForward(16_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}

/** Like `readAgain`, but requests to the path get no response. Resolves after the last of the `tries`. */
export async function failToReadAgain(page: Page, path: string, tries = 3): Promise<void> {
  let failed = 0;
  await page.route(`**${path}`, async (route) => {
    await route.abort();
    failed++;
  });
  await readAgain(page);
  await expect.poll(() => failed, { timeout: 30_000 }).toBe(tries);
  await page.unroute(`**${path}`);
}
