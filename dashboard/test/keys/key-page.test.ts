import { SEARCHED_ROWS_MAX } from '@svc/service/config/limits';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from '../harness/accessible.ts';
import { choose, focused, goTo, press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the page of a key', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const home = `/w/${workspaceId}`;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const crawler = await service.issue(workspaceId, {
    ...{ name: 'Crawler', access: 'write', allowedNetworks: ['192.0.2.0/24', '2001:db8::/32'] },
    burstLimit: 20,
  });
  let page: Page;
  beforeAll(async () => {
    const from = (remoteAddress: string, path: string) =>
      service.request(crawler.token, path, { remoteAddress });
    await from('192.0.2.7', '/v1/audits');
    await from('192.0.2.7', '/v1/audits?limit=0');
    await from('2001:db8::1', '/v1/companies');
    await from('203.0.113.7', '/v1/companies');
    page = await open(owner, `${home}/keys`);
  });
  const section = (name: string) => page.getByRole('region', { name, exact: true });

  test('is reached from the list, and shows settings, usage, failures, addresses and entries', async () => {
    await page.getByRole('row', { name: /Crawler.*owner@example.com/ }).waitFor();
    await press(page, 'Crawler');
    await page.waitForURL(new RegExp(`/keys/${crawler.keyId}$`));
    await page.getByRole('heading', { level: 1, name: 'Crawler' }).waitFor();
    const details = section('Key');
    for (const text of ['Active', 'Live', 'Read and write', '192.0.2.0/24', '2001:db8::/32'])
      await details.getByText(text, { exact: true }).waitFor();
    await details.getByText('by owner@example.com').waitFor();
    await details.getByRole('button', { name: 'Copy ID' }).waitFor();
    await details.getByText('20 requests a second').waitFor();
    await page.getByRole('img', { name: 'Requests per day: 4 requests, 2 failed.' }).waitFor();
    await section('Requests per day').getByText('50%').waitFor();
    const rowsOf = async (name: string): Promise<readonly string[]> =>
      (await section(name).getByRole('row').allInnerTexts()).slice(1);
    await expect
      .poll(async () =>
        (await rowsOf('Latest failed requests')).map((text) => /\b[45]\d\d\b/.exec(text)?.[0]),
      )
      .toEqual(['403', '400']);
    await expect
      .poll(async () => (await rowsOf('Latest addresses')).map((text) => text.split(/\s+/).slice(0, 2)))
      .toEqual([
        ['203.0.113.7', '1'],
        ['2001:db8::1', '1'],
        ['192.0.2.7', '2'],
      ]);
    await expect.poll(async () => (await rowsOf('Latest requests')).length).toBe(4);
    await section('Changes of this key')
      .getByRole('row', { name: /owner@example.com/ })
      .waitFor();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('shows the last request of a key after which other keys have sent thousands in the same minute', async () => {
    const busy = await dashboard.owner();
    const { keyId, token } = await service.issue(busy.workspaceId, { name: 'Rare' });
    await service.request(token, '/v1/audits?limit=0');
    await service.pool.query(
      `insert into audit_log (workspace_id, id, created_at, kind, path, doc)
       select $1, 'log_' || i, last + i * interval '1 microsecond', 'api.request', '/v1/audits', '{}'
       from generate_series(1, $2::int) i, (select max(created_at) as last from audit_log where workspace_id = $1) l`,
      [busy.workspaceId, SEARCHED_ROWS_MAX + 100],
    );
    const opened = await open(busy, `/w/${busy.workspaceId}/keys/${keyId}`);
    for (const name of ['Latest requests', 'Latest failed requests'])
      await opened.getByRole('region', { name, exact: true }).getByText('400', { exact: true }).waitFor();
  });

  test('shows the chosen time range of the plot, also after a reload and in a link that opens a dialog', async () => {
    const days = (name: string) => page.getByRole('radio', { name });
    await page.goto(`${home}/keys/${crawler.keyId}`);
    await expect.poll(() => days('30 days').isChecked()).toBe(true);
    await page.evaluate(() => scrollTo(0, 100));
    await days('90 days').click();
    await page.waitForURL(/\?range=90d$/);
    expect(await page.evaluate(() => scrollY)).toBe(100);
    await page.reload();
    await expect.poll(() => days('90 days').isChecked()).toBe(true);
    await page.goto(`${page.url()}&replace=true`);
    await page.getByRole('dialog', { name: 'Replace “Crawler”' }).waitFor();
    await page.waitForURL(/\?range=90d$/);
    await page.keyboard.press('Escape');
    await expect.poll(() => days('90 days').isChecked()).toBe(true);
    await page.goto(`${home}/keys/${crawler.keyId}?range=2d`);
    await expect.poll(() => days('30 days').isChecked()).toBe(true);
  });

  test('shows the days of the data that it has while those of another range load', async () => {
    const plot = section('Requests per day').locator('.u-over');
    const firstDay = async (): Promise<string | null> => {
      await plot.hover({ position: { x: 5, y: 20 } });
      return section('Requests per day')
        .getByText(/^\w+ \d+ \(UTC\)$/)
        .textContent();
    };
    const shown = await firstDay();
    // A response that never comes.
    await page.route(/\/usage\?days=90/, () => undefined);
    const sent = page.waitForRequest(/\/usage\?days=90/);
    await page.getByRole('radio', { name: '90 days' }).click();
    await sent;
    expect(await firstDay()).toBe(shown);
    await page.unrouteAll();
    await page.goto(`${home}/keys/${crawler.keyId}`);
  });

  test('leads from a bar, the table of the days and the figures to requests of the key in the log', async () => {
    await service.request(await service.token(workspaceId), '/v1/audits');
    const usage = section('Requests per day');
    const shown = page.getByRole('img', { name: 'Requests per day: 4 requests, 2 failed.' });
    const entries = async (count: number): Promise<void> => {
      await page.waitForURL(/\/log\?/);
      await page.getByText(`${count} entries`, { exact: true }).waitFor();
      await page.goBack();
      await shown.waitFor();
    };
    await section('Latest requests').getByRole('link').nth(1).waitFor();
    await section('Changes of this key').getByRole('link').nth(1).waitFor();
    const plot = usage.locator('.u-over');
    const box = await plot.boundingBox();
    if (box === null) throw new Error('The plot has no size.');
    // The bar of today is the last of 30. Half of its requests failed.
    const x = box.width - box.width / 60;
    await plot.click({ position: { x, y: box.height - 3 } });
    await entries(2);
    await plot.click({ position: { x, y: 3 } });
    await entries(4);
    await press(page, 'Show as table');
    await expectAccessibleInBothThemes(page);
    await press(page, '2 failed');
    await entries(2);
    await press(page, /^4\. Show the requests of this key in the log$/);
    await entries(4);
    await press(page, /^2\. Show the failed requests of this key in the log$/);
    await entries(2);
  });

  test('has a table without links for a test key, whose requests are not in the log', async () => {
    const { keyId, token } = await service.issue(workspaceId, { name: 'Trial', mode: 'test', burstLimit: 1 });
    await service.request(token, '/v1/audits');
    await page.goto(`${home}/keys`);
    await press(page, /^\d+\. Show the usage of Trial$/);
    await page.waitForURL(new RegExp(`/keys/${keyId}$`));
    await page.getByRole('img', { name: 'Requests per day: 1 request, 0 failed.' }).waitFor();
    await section('Key').getByText('1 request a second', { exact: true }).waitFor();
    await press(page, 'Show as table');
    await section('Requests per day')
      .getByRole('row', { name: /\(UTC\) 1 0$/ })
      .waitFor();
    expect(await section('Requests per day').getByRole('link').count()).toBe(0);
    await page.goto(`${home}/keys/${crawler.keyId}`);
  });

  test('leads to the same entries in the log, and to an entry', async () => {
    await section('Latest addresses').getByRole('link', { name: '192.0.2.7' }).click();
    await page.waitForURL(/\/log\?.*address=192\.0\.2\.7/);
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.goBack();
    await page.getByRole('link', { name: 'All failed requests in the log' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.goBack();
    await section('Latest requests')
      .getByRole('link', { name: /Open the entry/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('203.0.113.7').first().waitFor();
    await page.goBack();
  });

  test('is opened by the menu of the key in the list and by an entry of the key in the log', async () => {
    await page.goto(`${home}/keys`);
    await press(page, 'Actions for Crawler');
    await choose(page, 'Open');
    await page.getByRole('heading', { level: 1, name: 'Crawler' }).waitFor();
    await page.goto(`${home}/log?key=${crawler.keyId}&range=all`);
    await page
      .getByRole('button', { name: /Open the entry/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('link', { name: 'Crawler' }).click();
    await page.getByRole('heading', { level: 1, name: 'Crawler' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/keys/${crawler.keyId}$`));
  });

  test('has every action of the menu, by keyboard, and shows the result', async () => {
    await page.goto(`${home}/keys/${crawler.keyId}`);
    await page.getByRole('heading', { level: 1, name: 'Crawler' }).waitFor();
    await press(page, 'Edit…');
    await page.getByRole('dialog').waitFor();
    await goTo(page, 'Name');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Spider');
    await press(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'Spider' }).waitFor();
    await press(page, 'Actions for Spider');
    await page.getByRole('menuitem', { name: 'Pause…' }).waitFor();
    const items = await page.getByRole('menuitem').allInnerTexts();
    expect(items).toEqual(['Edit…', 'Pause…', 'Show log entries', 'Replace…', 'Rotate…', 'Revoke…']);
    await choose(page, 'Pause…');
    await page.getByRole('alertdialog').waitFor();
    await press(page, 'Pause key');
    await page.getByText('“Spider” is paused.', { exact: true }).waitFor();
    await section('Key').getByText('Paused', { exact: true }).waitFor();
    await expect.poll(() => focused(page)).toBe('Actions for Spider');
    expect((await service.request(crawler.token, '/v1/audits')).status).toBe(401);
    await page.getByRole('row', { name: /paused.*Spider/i }).waitFor();
  });

  test('shows a viewer the key without its actions, and says which key does not exist', async () => {
    const seen = await open(viewer, `${home}/keys/${crawler.keyId}`);
    await seen.getByRole('heading', { level: 1, name: 'Spider' }).waitFor();
    await seen.getByRole('button', { name: 'Replace…' }).focus();
    await seen.getByRole('tooltip', { name: 'Only owners and admins can manage keys.' }).waitFor();
    const stranger = await dashboard.owner();
    const { keyId } = await service.issue(stranger.workspaceId);
    await seen.goto(`${home}/keys/${keyId}`);
    await seen.getByText('There is no API key with the id').waitFor();
  });
});
