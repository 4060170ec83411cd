import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the notice of the live quota', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const token = await service.token(workspaceId);
  const home = `/w/${workspaceId}`;
  const pages = [
    '',
    '/keys',
    '/log',
    '/data/audits',
    '/data/companies',
    '/webhooks',
    '/explorer',
    '/settings',
  ];
  const notice = (page: Page) => page.getByRole('region', { name: 'Live quota notice' });
  const send = async (count: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push((await service.request(token, '/v1/audits')).status);
    return statuses;
  };
  const setQuota = (liveQuota: number | null) =>
    owner.send('PATCH', `/workspaces/${workspaceId}`, { liveQuota });
  const shown = async (page: Page, path: string): Promise<number> => {
    const loaded = page.waitForResponse(/\/month$/);
    await page.goto(home + path);
    await loaded;
    await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
    return notice(page).count();
  };

  test('is on every page from 80 percent on, can be dismissed, and comes back when the quota is used up', async () => {
    await setQuota(10);
    await send(7);
    const page = await open(owner, home);
    expect(await shown(page, '/keys')).toBe(0);
    await send(1);
    for (const path of pages) {
      await page.goto(home + path);
      await notice(page)
        .getByText('80% of the live quota of this month is used: 8 of 10 requests.')
        .waitFor();
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.keyboard.press('Enter');
    await notice(page).waitFor({ state: 'detached' });
    await page.locator('#main:focus').waitFor();
    expect(await shown(page, '/log')).toBe(0);

    expect(await send(3)).toEqual([200, 200, 429]);
    for (const path of pages) {
      await page.goto(home + path);
      await notice(page)
        .getByText(/is used up: 10 of 10 requests. .* get 429 quota_exceeded until .* \(UTC\)/)
        .waitFor();
    }
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await expectAccessible(page);
    await notice(page).getByRole('link', { name: 'Change limits' }).click();
    await page.waitForURL(/tab=limits/);
    await page.getByLabel('Live requests per month').fill('12');
    await page
      .getByRole('region', { name: 'Live quota', exact: true })
      .getByRole('button', { name: 'Save' })
      .click();
    // Another quota is another notice: 10 of 12.
    await notice(page).getByText('83% of the live quota').waitFor();
  });

  test.each([
    ['light', 360],
    ['dark', 360],
    ['dark', 1280],
  ] as const)('is accessible and fits, also for a viewer: %s, %i px', async (theme, width) => {
    await setQuota(10);
    const page = await open(viewer, home, { theme, width });
    await notice(page).getByRole('link', { name: 'See limits' }).waitFor();
    await expectAccessible(page);
  });

  test('appears within a minute on a page that stays open, and not without a quota', async () => {
    await setQuota(null);
    const page = await open(owner, `${home}/keys`);
    await page.clock.install();
    expect(await shown(page, '/keys')).toBe(0);
    await setQuota(10);
    await page.clock.fastForward(61_000);
    await notice(page)
      .getByText(/is used up/)
      .waitFor();
  });
});
