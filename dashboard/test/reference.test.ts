import type { Page } from 'playwright-core';
import { beforeAll, describe, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH, createWorld, type World } from './harness/world.ts';

const LOOKS = [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;
/** The pages with everything open are long, so each run of axe takes many seconds. */
const LONG_LOOKS = [LOOKS[0], LOOKS[2]];

/** Opens every group of operations, and loads everything that loads on scroll. */
async function showEverything(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: /^Show More/ });
  for (const name of ['audit-log', 'api-keys', 'companies', 'content', 'mentions']) {
    await page.goto(`/docs#tag/${name}`);
    await more
      .or(page.getByRole('heading', { name: 'Get an audit-log entry' }))
      .first()
      .waitFor();
    while ((await more.count()) > 0) await more.first().click();
  }
  await page.getByRole('heading', { name: 'Get an audit-log entry' }).waitFor();
}

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the API reference is accessible', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test.each(LONG_LOOKS)('with every operation open: %o', async (look) => {
    const { page, expectNoProblems } = await world.visitor({ ...look, reducedMotion: 'reduce' });
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'List audits' }).waitFor();
    await showEverything(page);
    await expectAccessible(page);
    expectNoProblems();
  });

  test.each(LOOKS)('while it is searched, and a request is tried: %o', async (look) => {
    const { page, expectNoProblems } = await world.visitor({ ...look, reducedMotion: 'reduce' });
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'List audits' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('mention');
    await page
      .getByRole('option', { name: /List mentions/ })
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    const test = page.getByRole('button', { name: /Test Request.*\/v1\/audits\)/ }).first();
    await test.click();
    const client = page.getByRole('dialog', { name: 'API Client' });
    await client.getByRole('button', { name: /^Send/ }).first().waitFor();
    await expectAccessible(page);
    await client.getByRole('button', { name: /^Send/ }).first().click();
    await client.getByRole('textbox', { name: 'Body of the answer' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await client.waitFor({ state: 'hidden' });
    await test.and(page.locator(':focus')).waitFor();
    expectNoProblems(/401/);
  });
});
