import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { choose, press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the columns of a list', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const list = `/w/${workspaceId}/data/content`;
  const createdAt = '2026-03-01T12:00:00.000Z';
  const seed = (name: string, row: { readonly id: string; readonly [field: string]: string }) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), [{ ...row, createdAt }]);
  await seed('companies', { id: 'com_a', name: 'Acme' });
  await seed('audits', { id: 'aud_a', companyId: 'com_a', completedAt: createdAt });
  for (let i = 0; i < 40; i++) await seed('content', { id: `con_${i}`, companyId: 'com_a', title: `${i}` });
  await seed('content', { id: 'con_a', companyId: 'com_a', title: 'Words' });

  const DEFAULT = ['Title', 'Company', 'Status', 'Created', 'Updated', 'Published'];
  /** The heads of the columns, without that of the check boxes. */
  const expectColumns = (page: Page, names: readonly string[]) =>
    expect
      .poll(async () => (await page.getByRole('columnheader').allInnerTexts()).filter((text) => text !== ''))
      .toEqual(names);
  const toggle = async (page: Page, ...names: readonly string[]): Promise<void> => {
    await press(page, 'Columns');
    for (const name of names) await choose(page, name);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  };

  test('are in the URL, which shows the same to everybody, whatever they have chosen', async () => {
    const page = await open(owner, list);
    await expectColumns(page, DEFAULT);
    await toggle(page, 'Company', 'URL', 'Status', 'Published');
    const chosen = ['Title', 'URL', 'Created', 'Updated'];
    await expectColumns(page, chosen);
    await page.waitForURL(
      ({ searchParams }) => searchParams.get('columns') === 'title,url,createdAt,updatedAt',
    );

    const other = await open(viewer, list);
    await toggle(other, 'Status');
    await expectColumns(
      other,
      DEFAULT.filter((name) => name !== 'Status'),
    );
    await other.goto(page.url());
    await expectColumns(other, chosen);
    await other.goto(list);
    await expectColumns(
      other,
      DEFAULT.filter((name) => name !== 'Status'),
    );
  });

  test('that a link names but the list does not have are left out, and the one that sorts the list is shown', async () => {
    const page = await open(owner, `${list}?columns=color,status,body`);
    await expectColumns(page, ['Title', 'Status', 'Created']);
    await page.goto(`${list}?columns=title`);
    await expectColumns(page, ['Title', 'Created']);
    await page.goto(`${list}?columns=color`);
    await expectColumns(page, DEFAULT);
  });

  test('stay when the list is sorted, and the one that sorts it is shown', async () => {
    const page = await open(owner, `/w/${workspaceId}/data/audits?columns=id,companyId`);
    await expectColumns(page, ['ID', 'Company', 'Completed']);
    await page.getByLabel('Sort by').selectOption('score-ascending');
    await expectColumns(page, ['ID', 'Company', 'Headline score']);
    await page.getByRole('button', { name: 'Headline score' }).click();
    await page.waitForURL(/sort=score-descending/);
    await expectColumns(page, ['ID', 'Company', 'Headline score']);
    await page.getByRole('button', { name: 'Columns' }).click();
    const item = page.getByRole('menuitemcheckbox', { name: 'Headline score Sorts the list' });
    await item.and(page.locator('[aria-checked=true][aria-disabled=true]')).waitFor();
  });

  test('stay with the filters, after Back, and when the list is opened again', async () => {
    const page = await open(owner, `${list}?columns=title,url`);
    const chosen = ['Title', 'URL', 'Created'];
    await page.getByLabel('Status', { exact: true }).selectOption('published');
    await page.waitForURL(/status=published/);
    await expectColumns(page, chosen);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(({ search }) => !search.includes('status'));
    await expectColumns(page, chosen);
    await page.getByRole('link', { name: 'Words' }).click();
    await page.getByRole('heading', { level: 1, name: 'Words' }).waitFor();
    await page.goBack();
    await expectColumns(page, chosen);

    // A link without columns shows what was chosen last in this browser, and says so in the URL.
    const navigation = page.getByRole('navigation', { name: 'Workspace' });
    await toggle(page, 'Status');
    const chosenLast = ['Title', 'URL', 'Status', 'Created'];
    await expectColumns(page, chosenLast);
    for (const name of ['Companies', 'Content']) {
      await navigation.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    await expectColumns(page, chosenLast);
    await page.waitForURL(({ searchParams }) => searchParams.get('columns') === 'title,url,status,createdAt');
    await toggle(page, 'Default columns');
    await expectColumns(page, DEFAULT);
    expect(new URL(page.url()).search).toBe('');
  });

  test('are no steps of the history, and leave the list at its place', async () => {
    const page = await open(owner, `/w/${workspaceId}/explorer`);
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Content' }).click();
    await expectColumns(page, DEFAULT);
    await page.getByRole('button', { name: 'Columns' }).focus();
    await page.getByRole('link', { name: '39', exact: true }).waitFor();
    await page.evaluate(() => scrollTo(0, 60));
    await toggle(page, 'URL', 'Status');
    await page.waitForURL(/columns=/);
    await expectColumns(page, ['Title', 'Company', 'URL', 'Created', 'Updated', 'Published']);
    expect(await page.evaluate(() => scrollY)).toBe(60);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Explorer' }).waitFor();
  });
});
