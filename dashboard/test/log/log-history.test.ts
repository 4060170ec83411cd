import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the audit log in the history of the browser', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, url, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const { token } = await service.issue(workspaceId, { name: 'crawler' });
  const path = `/w/${workspaceId}/log`;
  const call = (target: string) => fetch(url + target, { headers: { authorization: `Bearer ${token}` } });
  for (let i = 0; i < 130; i++) await call('/v1/audits?limit=5');

  test('has the loaded entries and its place after Back, and new entries after a visit by a link', async () => {
    const page = await open(owner, path);
    await page.getByText('50 entries shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    const status = page.getByText(/^\d+ entries(?: shown)?$/);
    await expect.poll(() => status.textContent()).not.toBe('50 entries shown');
    const shown = await status.textContent();
    const place = () => page.evaluate(() => Math.round(scrollY));
    await page.evaluate(() => scrollTo(0, 2500));
    await expect.poll(place).toBe(2500);
    // The entries of the history before and after an open dialog are the same list.
    const entry = page.locator('tr[aria-rowindex="60"]').getByRole('button', { name: 'Open the entry' });
    await entry.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const before = await place();
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor();
    await call('/v1/audits/aud_made_meanwhile');
    await page.goBack();
    await expect.poll(async () => [await status.textContent(), await place()]).toEqual([shown, before]);

    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('/v1/audits/aud_made_meanwhile').waitFor();
    expect(await place()).toBe(0);
  });
});
