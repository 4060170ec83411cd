import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { focused } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the page of the audit log on a phone', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, url, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const path = `/w/${owner.workspaceId}/log`;
  const { token } = await service.issue(owner.workspaceId, { name: 'crawler' });
  for (let i = 0; i < 5; i++)
    await fetch(`${url}/v1/nothing`, { headers: { authorization: `Bearer ${token}` } });

  test('shows its first entries on a phone, whole and below few filters', async () => {
    const page = await open(owner, path, { width: 360 });
    const first = page.getByRole('row').nth(1);
    const box = await first.boundingBox();
    expect(box?.y).toBeLessThan(560);
    const table = page.locator('section').filter({ has: page.getByRole('table') });
    const hidden = await table.last().evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(hidden, 'pixels that must be scrolled sideways').toBe(0);
    const requests = page.getByRole('row').filter({ hasText: '/v1/nothing' });
    await requests.first().getByText('404').waitFor();
    await requests
      .first()
      .getByRole('button', { name: /crawler/ })
      .waitFor();
    const more = page.getByRole('button', { name: 'More filters' });
    await more.click();
    await page.getByLabel(/^Path/).fill('/v1/none*');
    await page.keyboard.press('Enter');
    await page.getByText('No entries match these filters').waitFor();
    await expectAccessible(page);
    await page.reload();
    const field = page.getByLabel(/^Path/);
    expect(await field.inputValue()).toBe('/v1/none*');
    // It stays when it is emptied, because the person goes on typing.
    await field.press('Control+a');
    await page.keyboard.press('Delete');
    await page.waitForURL((address) => !address.searchParams.has('path'));
    await page.keyboard.type('/v1/other*');
    await page.keyboard.press('Enter');
    await page.waitForURL(/path=/);
    expect(await field.inputValue()).toBe('/v1/other*');
    await page.getByRole('search').getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => more.getAttribute('aria-expanded')).toBe('false');
    expect(await focused(page)).toBe('Time');
  });
});
