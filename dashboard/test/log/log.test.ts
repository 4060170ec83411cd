import { readFile } from 'node:fs/promises';
import { SEARCHED_ROWS_MAX } from '@svc/service/config/limits';
import { urlOf } from '@svc/service/harness/lists.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { REQUESTS_MAX } from '../../src/list/continued-search.ts';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the page of the audit log', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, url, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const { token } = await service.issue(workspaceId, { name: 'crawler' });
  const path = `/w/${workspaceId}/log`;
  const call = (target: string) => fetch(url + target, { headers: { authorization: `Bearer ${token}` } });
  for (let i = 0; i < 130; i++) await call(i % 3 === 0 ? '/v1/nothing' : '/v1/audits?limit=5');

  const exported = async (page: Page, format: RegExp) => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('radio', { name: format }).check();
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return saved;
  };

  /** Adds requests, the oldest with another address than all others. */
  const seedLog = (workspace: string, entries: number) =>
    service.pool.query(
      `insert into audit_log (workspace_id, id, created_at, kind, path, doc)
       select $1, 'log_' || i, at, 'api.request', '/v1/audits', json_build_object('id', 'log_' || i, 'kind', 'api.request',
         'createdAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'keyId', null, 'actor', null,
         'path', '/v1/audits', 'method', 'GET', 'status', 200, 'ip', '198.51.100.' || case i when $2 then 1 else 2 end)
       from generate_series(1, $2::int) i, lateral (select now() - i * interval '1 microsecond' as at) t`,
      [workspace, entries],
    );

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible and fits: %s, %i px', async (theme, width) => {
    const page = await open(owner, path, { theme, width });
    await page.getByRole('row').nth(3).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open the entry' }).first().click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
  });

  test('shows a request that is sent while the log is live, without a reload', async () => {
    const page = await open(owner, path);
    await page.getByRole('button', { name: 'Go live' }).click();
    await call('/v1/audits/aud_made_while_live');
    await page.getByText('/v1/audits/aud_made_while_live').waitFor();
  });

  test('filters by the status and the path of an entry, has the filters in the URL, and exports the same entries', async () => {
    const page = await open(owner, path);
    const dialog = page.getByRole('dialog');
    // A click on the text of a row opens its entry.
    await page.getByText('/v1/nothing', { exact: true }).first().click();
    await dialog.getByRole('button', { name: 'Filter by this status' }).click();
    await page.waitForURL(/status=.*404/);
    const request = page.getByRole('row').filter({ hasText: '/v1/nothing' }).first();
    await request.getByText('404', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Filter by this path' }).click();
    await page.waitForURL(/path=/);
    expect(await page.getByText('/v1/audits', { exact: true }).count()).toBe(0);
    await page.getByText(/^44 entries$/).waitFor();

    const download = await exported(page, /^NDJSON/);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    const list = await owner.send(
      'GET',
      urlOf(`/workspaces/${workspaceId}/log`, {
        path: '/v1/nothing',
        statusMin: 404,
        statusMax: 404,
        limit: 100,
      }),
    );
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(list.json<{ data: unknown[] }>().data);

    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('/v1/audits', { exact: true }).first().waitFor();
  });

  test('filters by a click on a key, and exports the same entries as CSV', async () => {
    const other = await service.issue(workspaceId, { name: 'visitor' });
    await fetch(`${url}/v1/companies`, { headers: { authorization: `Bearer ${other.token}` } });
    const page = await open(owner, path);
    await page
      .getByRole('button', { name: /^visitor.*Filter by this key/ })
      .first()
      .click();
    await page.waitForURL(new RegExp(`key=${other.keyId}`));
    // The creation of the key and its request.
    await page.getByText(/^2 entries$/).waitFor();
    const download = await exported(page, /^CSV/);
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split(/\r?\n/);
    expect(head).toContain('createdAt');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('/v1/companies');
  });

  test('loads to the end, and renders only the rows near the visible ones', async () => {
    const page = await open(owner, `${path}?path=/v1/audits`);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText(/^86 entries$/).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  });

  test('shows target, change and address of an action of a person, and filters by each', async () => {
    const viewer = await dashboard.member(workspaceId, 'viewer');
    const members = (await owner.send('GET', `/workspaces/${workspaceId}/members`)).json<{
      data: { id: string; userId: string }[];
    }>().data;
    const { id } = members.find(({ userId }) => userId === viewer.userId) ?? { id: '' };
    const from = { remoteAddress: '198.51.100.23', headers: { 'user-agent': 'Trail/1.0' } };
    await owner.send('PATCH', `/workspaces/${workspaceId}/members/${id}`, { role: 'admin' }, from);

    const page = await open(owner, `${path}?kind=member.role_changed`);
    await page.getByText(/Times are in \S+/).waitFor();
    await page.getByText(`: ${viewer.email}`).waitFor();
    await page.getByRole('button', { name: 'Open the entry' }).first().click();
    const dialog = page.getByRole('dialog');
    for (const text of [owner.email, viewer.email, 'viewer → admin', '198.51.100.23', 'Trail/1.0', 'UTC']) {
      await dialog.getByText(text).first().waitFor();
    }
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Filter by this target' }).click();
    await page.waitForURL(new RegExp(`target=${viewer.userId}`));
    await page.getByText(/^1 entry$/).waitFor();

    for (const [label, given] of [
      ['Person', owner.email],
      ['IP address', '198.51.100.23'],
    ] as const) {
      await page.goto(path);
      await page.getByLabel(label, { exact: true }).fill(given);
      await page.keyboard.press('Enter');
      await page.getByText(`: ${viewer.email}`).waitFor();
      await page.getByText('/v1/nothing').first().waitFor({ state: 'detached' });
    }
    await page.goto(path);
    await page.getByLabel('Request id', { exact: true }).fill('req_nobody_has');
    await page.keyboard.press('Enter');
    await page.getByText('No entries match these filters').waitFor();
  });

  test('continues a search by itself, says how far it got, and offers to continue', async () => {
    const searcher = await dashboard.owner();
    const searched = (REQUESTS_MAX + 1) * SEARCHED_ROWS_MAX;
    await seedLog(searcher.workspaceId, searched + 100);
    const log = `/w/${searcher.workspaceId}/log?range=all`;
    const page = await open(searcher, `${log}&address=198.51.100.1`);
    await page.getByText('0 entries found so far', { exact: true }).waitFor();
    await page.getByText('Searched back to').waitFor();
    expect(await page.getByText('No entries match these filters').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue search' }).click();
    await page.getByRole('row').nth(1).waitFor();
    await page.getByText('1 entry', { exact: true }).waitFor();
    expect(await page.getByText('Searched back to').count()).toBe(0);

    await page.goto(`${log}&address=192.0.2.99`);
    await page.getByRole('button', { name: 'Continue search' }).click();
    await page.getByText('No entries match these filters').waitFor();
  });

  test('shows an entry that is written while a search without a result is live', async () => {
    const follower = await dashboard.owner();
    await seedLog(follower.workspaceId, 2 * SEARCHED_ROWS_MAX);
    const { token: key } = await service.issue(follower.workspaceId, { name: 'follower' });
    const page = await open(
      follower,
      `/w/${follower.workspaceId}/log?range=all&path=/v1/audits/aud_followed`,
    );
    await page.getByText('No entries match these filters').waitFor();
    await page.getByRole('button', { name: 'Go live' }).click();
    for (const name of ['aud_other', 'aud_followed'])
      await fetch(`${url}/v1/audits/${name}`, { headers: { authorization: `Bearer ${key}` } });
    await page.getByText('/v1/audits/aud_followed', { exact: true }).waitFor();
    await page.getByText('1 entry', { exact: true }).waitFor();
  });

  test('says that a time range ends before it starts', async () => {
    const page = await open(owner, `${path}?range=custom&from=2026-03-02T00:00Z&to=2026-03-01T00:00Z`);
    await page.getByText('The time range ends before it starts').waitFor();
  });

  test('can be used with only the keyboard', async () => {
    const page = await open(owner, path);
    const first = page.getByRole('button', { name: 'Open the entry' }).first();
    await first.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel(/^Path/).fill('/v1/none*');
    await page.keyboard.press('Enter');
    await page.getByText('No entries match these filters').waitFor();
  });

  test('stays at its place while an entry is open, and the focus returns to the row', async () => {
    const page = await open(owner, path);
    await page.getByRole('row').nth(3).waitFor();
    const place = () => page.evaluate(() => Math.round(scrollY));
    await page.evaluate(() => scrollTo(0, 600));
    await expect.poll(place).toBe(600);
    const row = page.locator('tr[aria-rowindex="26"]');
    const button = row.getByRole('button', { name: 'Open the entry' });
    await button.focus();
    const before = await place();
    expect(before).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.waitForURL(/entry=/);
    expect(await place()).toBe(before);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect
      .poll(() => button.evaluate((element) => element === document.activeElement && location.search === ''))
      .toBe(true);
    expect(await place()).toBe(before);
  });

  test('says that the log could not be loaded, and loads it with “Try again”', async () => {
    const page = await open(owner, `/w/${workspaceId}/settings`);
    await page.route('**/log?*', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('The log could not be loaded').waitFor();
    await page.unroute('**/log?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('/v1/nothing').first().waitFor();
  });
});
