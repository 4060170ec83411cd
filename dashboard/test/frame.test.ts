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

  test.each([1280, 320])(
    'fits long names of workspaces into the menu, in the order of their numbers: %i px',
    async (width) => {
      const member = await dashboard.owner();
      const names = ['Site 10', 'Site 2', 'ح'.repeat(80), 'W'.repeat(80)];
      for (const [i, name] of names.entries()) {
        const key = { 'idempotency-key': `key-${width}-${i}` };
        const created = await member.send('POST', '/workspaces', { name }, { headers: key });
        expect(created.status).toBe(201);
      }
      const page = await open(member, `/w/${member.workspaceId}`, { width });
      if (width < 1024) await page.getByRole('button', { name: 'Open menu' }).click();
      await page.getByRole('button', { name: 'Workspace Test' }).click();
      const items = page.getByRole('menuitemradio');
      await items.first().waitFor();
      const texts = await items.allTextContents();
      expect(texts.slice(0, 2)).toEqual(['Site 2owner', 'Site 10owner']);
      for (const note of await page.getByRole('menuitemradio').getByText('owner', { exact: true }).all()) {
        const box = await note.boundingBox();
        expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThan(width);
      }
      await expectAccessible(page);
    },
  );
});
