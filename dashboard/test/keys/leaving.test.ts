import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('while the token of a key is being made', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  await service.issue(workspaceId, { name: 'Nightly' });

  const rotate = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Nightly' }).click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
  };
  const create = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Crawler');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  };

  test.for([
    { what: 'rotated', path: /\/rotate$/, send: rotate },
    { what: 'created', path: /\/keys$/, send: create },
  ])('asks before a key that is being $what is left', async ({ what, path, send }) => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for Nightly' }).waitFor();
    const released = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      if (route.request().method() === 'POST') await released.promise;
      await route.continue();
    });
    const held = page.waitForRequest((request) => request.method() === 'POST' && path.test(request.url()));
    await send(page);
    await held;
    await page.goBack();
    const question = page.getByRole('alertdialog', { name: 'Leave this page?' });
    await question.getByText(`The key is being ${what}. Its token is shown only once.`).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    const asked = page.waitForEvent('dialog');
    const closing = page.close({ runBeforeUnload: true });
    const native = await asked;
    expect(native.type()).toBe('beforeunload');
    await native.dismiss();
    await closing;
    released.resolve();
    await page.locator('[data-token]').waitFor();
    await page.waitForURL(/\/keys$/);
  });
});
