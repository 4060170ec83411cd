import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { stayWhenClosing } from '../harness/closing.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('while something that is shown once is being made', async () => {
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

  const invite = async (page: Page): Promise<void> => {
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email address').fill('new@example.com');
    await page.getByRole('button', { name: 'Create link' }).click();
  };

  test.for([
    { what: 'The key is being rotated. Its token is', from: 'API keys', path: /\/rotate$/, send: rotate },
    { what: 'The key is being created. Its token is', from: 'API keys', path: /\/keys$/, send: create },
    { what: 'The link is being created. It is', from: 'Settings', path: /\/invitations$/, send: invite },
  ])('asks before the page is left: $what shown only once', async ({ what, from, path, send }) => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('link', { name: from, exact: true }).click();
    await page.getByRole('heading', { name: from, level: 1 }).waitFor();
    const released = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      if (route.request().method() === 'POST') await released.promise;
      await route.continue();
    });
    const held = page.waitForRequest((request) => request.method() === 'POST' && path.test(request.url()));
    await send(page);
    await held;
    const address = new URL(page.url()).pathname;
    await page.goBack();
    const question = page.getByRole('alertdialog', { name: 'Leave this page?' });
    await question.getByText(`${what} shown only once.`).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await stayWhenClosing(page);
    released.resolve();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first().waitFor();
    expect(page.url()).toContain(address);
  });
});
