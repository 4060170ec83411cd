import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the frame of a page', async () => {
  if (BROWSER_PATH === undefined) return;
  const { dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;

  test.each([1280, 360])('does not move while the person and the workspace load: %i px', async (width) => {
    const page = await open(owner, '/account', { width });
    const place = async () => {
      const box = await page.locator('main > div').first().boundingBox();
      return [box?.x, box?.y, box?.width];
    };
    for (const path of ['**/dashboard/api/me', `**/dashboard/api/workspaces/${workspaceId}`]) {
      const release = Promise.withResolvers<void>();
      await page.route(path, async (route) => {
        await release.promise;
        await route.continue();
      });
      await page.goto(`/w/${workspaceId}`);
      await page.getByRole('heading', { name: 'Loading' }).waitFor();
      await expectAccessible(page);
      const before = await place();
      release.resolve();
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      expect(await place()).toEqual(before);
      await page.unroute(path);
    }
  });
});
