import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the export of the audit log', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const EXPORTS = '**/log/export?*';

  /** Opens the log of a new workspace, and exports it. */
  const exportLog = async (prepare: (page: Page) => Promise<unknown> = async () => undefined) => {
    const owner = await dashboard.owner();
    const page = await open(owner, `/w/${owner.workspaceId}/log`);
    await page.getByRole('row').nth(1).waitFor();
    await prepare(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    return { owner, page, dialog };
  };

  test('shows why the service refuses it, and saves the file with “Try again”', async () => {
    const owner = await dashboard.owner();
    const exported = () => owner.send('GET', `/workspaces/${owner.workspaceId}/log/export?format=csv`);
    const page = await open(owner, `/w/${owner.workspaceId}/log`);
    const holder = await service.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from live_meters where workspace_id = $1 for update', [owner.workspaceId]);
    // The one that may run at the same time waits for the lock, to append its entry.
    const others = [1, 2].map(exported);
    expect((await Promise.race(others)).status).toBe(429);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('alert').getByText('At most 1 export of this person may run').waitFor();
    await expectAccessible(page);
    await holder.query('rollback');
    holder.release();
    await Promise.all(others);
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    expect(await readFile(await file.path(), 'utf8')).toContain('log.exported');
    await dialog.waitFor({ state: 'detached' });
  });

  test('leads to the sign-in if the session has ended', async () => {
    const { page } = await exportLog((opened) => opened.context().clearCookies());
    await page.waitForURL(/sign-in/);
  });

  test('says that the connection ended, and can be stopped', async () => {
    const { page, dialog } = await exportLog((opened) => opened.route(EXPORTS, (route) => route.abort()));
    await dialog.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.unroute(EXPORTS);
    // A response that does not come leaves the time to stop.
    await page.route(EXPORTS, () => undefined);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByRole('radio', { name: /^CSV/ }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});
