import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the printed audit log', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, url, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { token } = await service.issue(owner.workspaceId);
  for (let i = 0; i < 60; i++) {
    await fetch(`${url}/v1/audits`, { headers: { authorization: `Bearer ${token}` } });
  }

  test('has all loaded rows, without the frame and the controls of the page', async () => {
    const page = await open(owner, `/w/${owner.workspaceId}/log`);
    const rows = page.locator('tbody tr[aria-rowindex]');
    await page.getByText('50 entries shown').waitFor();
    expect(await rows.count()).toBeLessThan(50);
    await page.evaluate(() => {
      addEventListener('beforeprint', () => {
        document.body.dataset['printed'] = String(
          document.querySelectorAll('tbody tr[aria-rowindex]').length,
        );
      });
    });
    await page.pdf();
    expect(await page.locator('body').getAttribute('data-printed')).toBe('50');
    await expect.poll(() => rows.count()).toBeLessThan(50);
    await page.emulateMedia({ media: 'print' });
    for (const control of [
      page.getByRole('navigation'),
      page.getByRole('search'),
      page.getByRole('button', { name: 'Export' }),
      page.getByRole('button', { name: 'Load more' }),
    ]) {
      expect(await control.isVisible()).toBe(false);
    }
  });
});
