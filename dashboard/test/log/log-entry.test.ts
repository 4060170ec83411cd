import { expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)('offers a filter by path only if it finds the entry', async () => {
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const token = await service.token(workspaceId);
  const paths = [`/v1/audits/${token}`, '/v1/audits/all*', '/v1/audits'];
  for (const path of paths)
    await service.app.inject({ url: path, headers: { authorization: `Bearer ${token}` } });
  const page = await open(owner, `/w/${workspaceId}/log`);
  const dialog = page.getByRole('dialog');
  const filter = dialog.getByRole('button', { name: 'Filter by this path' });
  for (const path of ['[removed: held an API key]', '/v1/audits/all*']) {
    await page.getByText(path, { exact: true }).click();
    await dialog.getByRole('button', { name: 'Filter by this status' }).waitFor();
    expect(await filter.count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await page.getByText('/v1/audits', { exact: true }).click();
  await filter.click();
  await page.getByText('1 entry', { exact: true }).waitFor();
});
