import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the time zone', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const token = await service.token(workspaceId);
  await service.request(token, '/v1/audits');
  const zone = (page: Page) => page.getByRole('combobox', { name: 'Time zone' });
  const log = `/w/${workspaceId}/log`;

  test('is that of the browser, is named, and another one applies to all dates, also after a reload and in other tabs', async () => {
    const page = await open(owner, log);
    const other = await page.context().newPage();
    await other.goto(`/w/${workspaceId}`);
    await other.getByText('Time zone: Europe/Berlin').first().waitFor();
    await page.getByText('Times are in Europe/Berlin.').waitFor();
    const stamp = page
      .getByRole('button', { name: /Open the entry/ })
      .last()
      .locator('time');
    const at = new Date((await stamp.getAttribute('datetime')) ?? '');
    const shown = (zone: string): string =>
      new Intl.DateTimeFormat('en-US', {
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZone: zone,
      }).format(at);
    expect(await stamp.textContent()).toBe(shown('Europe/Berlin'));

    await page.getByRole('link', { name: 'Change time zone' }).click();
    await zone(page).selectOption('Another zone');
    const name = page.getByLabel('Name of the zone');
    await name.fill('Mars/Olympus_Mons');
    await name.press('Enter');
    await page.getByText('This browser knows no such time zone.').waitFor();
    await expectAccessible(page);
    await name.fill('Asia/Kolkata');
    await name.press('Enter');
    await page.getByText(/It is now .* GMT\+5:30\./).waitFor();
    await expectAccessible(page);
    await other.getByText('Time zone: Asia/Kolkata').first().waitFor();
    await page.goto(log);
    await page.getByText('Times are in Asia/Kolkata.').waitFor();
    expect(await stamp.textContent()).toBe(shown('Asia/Kolkata'));

    await page.goto('/account');
    await zone(page).selectOption('UTC');
    await page.goto(log);
    await page.getByText('Times are in UTC.').waitFor();
    expect(await stamp.textContent()).toBe(shown('UTC'));
  });

  test('that is chosen in another tab applies to a tab that shows no date, and to dates in titles and tables', async () => {
    const at = '2026-03-01T23:30:00Z';
    await seedRecords(service.pool, workspaceId, resourceNamed('audits'), [
      { id: 'aud_late', companyId: 'com_a', createdAt: at, completedAt: at },
    ]);
    const page = await open(owner, '/account');
    const tab = () => page.context().newPage();
    const [dateless, record, overview] = [await tab(), await tab(), await tab()];
    await dateless.goto(`/w/${workspaceId}/explorer`);
    await dateless.getByRole('heading', { level: 1, name: 'Explorer' }).waitFor();
    await record.goto(`/w/${workspaceId}/data/audits/aud_late`);
    const heading = (day: string) => record.getByRole('heading', { level: 1, name: `, ${day}, 2026` });
    await heading('Mar 2').waitFor();
    await overview.goto(`/w/${workspaceId}`);
    await overview.getByRole('button', { name: 'Show as table' }).first().click();
    const hour = overview.getByRole('region', { name: 'as a table' }).getByRole('row').nth(1);
    const before = await hour.textContent();

    await zone(page).selectOption('UTC');
    await heading('Mar 1').waitFor();
    await expect.poll(() => hour.textContent()).not.toBe(before);
    await dateless.getByRole('link', { name: 'Audit log' }).click();
    await dateless.getByText('Times are in UTC.').waitFor();
  });

  test('applies to the times in an entry of the log', async () => {
    await service.issue(workspaceId, { name: 'Dated', expiresAt: '2099-12-31T23:30:00Z' });
    const page = await open(owner, `${log}?kind=key.created`);
    await page
      .getByRole('button', { name: /Open the entry/ })
      .first()
      .click();
    const facts = page.getByRole('dialog').locator('dl');
    await facts.getByText('Jan 1, 2100, 00:30:00 GMT+1', { exact: true }).waitFor();
    await facts.getByText('any address', { exact: true }).waitFor();
  });

  test('applies to the bounds of a custom range, whose URL is in UTC and so means the same for others', async () => {
    const page = await open(owner, `${log}?range=custom&from=2026-03-01T08:30Z`);
    await page.getByLabel('From (Europe/Berlin)').waitFor();
    expect(await page.getByLabel('From (Europe/Berlin)').inputValue()).toBe('2026-03-01T09:30');
    await page.getByLabel('From (Europe/Berlin)').fill('2026-07-01T12:00');
    // A time that is not complete would start a search, and each of its parts a step of the history.
    expect(new URL(page.url()).searchParams.get('from')).toBe('2026-03-01T08:30Z');
    await page.getByLabel('From (Europe/Berlin)').press('Enter');
    await page.waitForURL((url) => url.searchParams.get('from') === '2026-07-01T10:00Z');
    await page.evaluate("localStorage.setItem('svc.time-zone', 'America/New_York')");
    await page.reload();
    expect(await page.getByLabel('From (America/New_York)').inputValue()).toBe('2026-07-01T06:00');
  });

  test('has a year of four digits in the bounds of a range, so that the person types on with the hour', async () => {
    const page = await open(owner, `${log}?range=custom`);
    const bound = page.getByLabel('From (Europe/Berlin)');
    await bound.focus();
    await page.keyboard.type('070120261200PM');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('from') === '2026-07-01T10:00Z');
    await bound.fill('10000-01-01T00:00');
    await bound.press('Enter');
    await page.getByRole('alert').getByText('Choose 9999-12-31 23:59 or earlier.').waitFor();
  });

  test('of the plots per day is UTC, as the figures are', async () => {
    const page = await open(owner, `/w/${workspaceId}?range=30d`);
    await page.getByRole('heading', { name: 'Requests per day' }).waitFor();
    await page.getByText('Time zone: UTC').first().waitFor();
  });

  test('that no browser knows is that of the browser', async () => {
    const page = await open(owner, '/account');
    await page.evaluate("localStorage.setItem('svc.time-zone', 'Mars/Olympus_Mons')");
    await page.goto(log);
    await page.getByText('Times are in Europe/Berlin.').waitFor();
  });
});
