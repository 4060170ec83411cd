import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { focused, goTo } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the selected rows of a list', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const base = `/w/${workspaceId}/data`;
  const at = (minute: number): string => new Date(Date.now() - (900 - minute) * 60_000).toISOString();
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
  const content = (id: string, status: string, minute: number) => ({
    id,
    companyId: 'com_a',
    title: `Title of ${id}`,
    url: null,
    publishedAt: null,
    status,
    updatedAt: at(minute),
    createdAt: at(minute),
  });
  const MENTIONS = 330;
  // Records that are deleted have to be counted, so the API creates them.
  const { token } = await service.issue(workspaceId, { access: 'write' });
  const create = async (name: string, data: readonly object[]): Promise<void> => {
    const path = `/v1/${name}/batch`;
    const { status } = await service.request(token, path, { method: 'POST', payload: { data } });
    expect(status).toBe(201);
  };
  await create('companies', [
    { id: 'com_a', name: 'Acme' },
    { id: 'com_b', name: 'Borealis' },
    { id: 'com_c', name: 'Cumulus' },
  ]);
  await create('audits', [{ id: 'aud_a', companyId: 'com_a', headlineScore: 7, completedAt: at(0) }]);
  await create(
    'mentions',
    Array.from({ length: MENTIONS }, (_, i) => ({
      id: `men_${String(i).padStart(3, '0')}`,
      companyId: 'com_a',
      source: 'news.example.com',
      url: 'https://news.example.com/1',
      title: `Mention ${String(i).padStart(3, '0')}`,
      excerpt: '',
      sentiment: 'positive',
      publishedAt: at(i),
    })),
  );
  await seed(
    'content',
    Array.from({ length: 6 }, (_, i) => content(`con_${i}`, i < 4 ? 'draft' : 'in_review', i)),
  );

  const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
  const all = (page: Page) => page.getByRole('checkbox', { name: 'Select all loaded rows' });
  const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
  const stored = async (relation: 'content' | 'mentions' | 'companies'): Promise<readonly string[]> => {
    const { rows } = await service.pool.query<{ id: string }>(
      `select id from ${relation} where workspace_id = $1 order by id`,
      [workspaceId],
    );
    return rows.map(({ id }) => id);
  };
  const statusOf = async (id: string): Promise<string | undefined> => {
    const { rows } = await service.pool.query<{ status: string }>(
      'select status from content where workspace_id = $1 and id = $2',
      [workspaceId, id],
    );
    return rows[0]?.status;
  };

  test('cannot be selected by a viewer', async () => {
    const page = await open(viewer, `${base}/mentions`);
    await page.getByText('50 of 330 mentions shown').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });

  test('are chosen one by one, by a range with Shift, and all together; loading and sorting keep them', async () => {
    const page = await open(owner, `${base}/mentions`);
    await box(page, 'Mention 329').click();
    await bar(page).getByText('1 mention selected', { exact: true }).waitFor();
    await box(page, 'Mention 325').click({ modifiers: ['Shift'] });
    await bar(page).getByText('5 mentions selected').waitFor();
    await box(page, 'Mention 327').click();
    await bar(page).getByText('4 mentions selected').waitFor();
    expect(new URL(page.url()).pathname, 'a click on a checkbox opens no record').toBe(`${base}/mentions`);
    expect(await all(page).evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('150 of 330 mentions shown').waitFor();
    await bar(page).getByText('4 mentions selected').waitFor();
    await page.getByLabel('Sort by').selectOption('published-ascending');
    await page.getByRole('link', { name: 'Mention 000' }).waitFor();
    await bar(page).getByText('4 mentions selected').waitFor();
    expect(await box(page, 'Mention 000').isChecked()).toBe(false);
    await all(page).click();
    await bar(page).getByText('54 mentions selected').waitFor();
    await all(page).click();
    await bar(page).getByText('4 mentions selected').waitFor();
    await page.getByLabel('Sort by').selectOption('published-descending');
    await expect.poll(() => box(page, 'Mention 325').isChecked()).toBe(true);
    await page.getByLabel('Sentiment').selectOption('neutral');
    await bar(page).waitFor({ state: 'detached' });
  });

  test('are selected with the space bar, and the checkbox in the head gets the focus when none is left', async () => {
    const page = await open(owner, `${base}/content`);
    await goTo(page, 'Select Title of con_5');
    await page.keyboard.press('Space');
    await bar(page).getByText('1 content item selected').waitFor();
    await goTo(page, 'Select Title of con_3');
    await page.keyboard.press('Shift+Space');
    await bar(page).getByText('3 content items selected').waitFor();
    await goTo(page, 'Clear selection');
    await page.keyboard.press('Enter');
    await bar(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Select all loaded rows');
  });

  test.each([1280, 360])('have a bar and a dialog without a problem for axe, at %i px', async (width) => {
    const page = await open(owner, `${base}/content`, { width });
    await box(page, 'Title of con_0').click();
    await bar(page).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('heading', { name: 'Delete 1 content item?' }).waitFor();
    await expectAccessible(page);
  });

  test('of audits can be copied, but not changed or deleted', async () => {
    const page = await open(owner, `${base}/audits`);
    await box(page, 'aud_a').click();
    await bar(page).getByRole('button', { name: 'Copy IDs' }).waitFor();
    expect(
      await bar(page)
        .getByRole('button', { name: /Delete|Change/ })
        .count(),
    ).toBe(0);
  });

  test('change their status together; the ones that cannot are listed with the reason and stay selected', async () => {
    const page = await open(owner, `${base}/content`);
    await box(page, 'Title of con_0').waitFor();
    await all(page).click();
    await page.getByRole('button', { name: 'Change status' }).click();
    await page.getByRole('menuitem', { name: 'In review (4 of 6)' }).waitFor();
    // Somebody else archives one meanwhile.
    await service.pool.query(
      `update content set status = 'archived', doc = replace(doc, '"draft"', '"archived"')
       where workspace_id = $1 and id = 'con_1'`,
      [workspaceId],
    );
    await page.getByRole('menuitem', { name: 'In review (4 of 6)' }).click();
    await page.getByRole('heading', { name: 'Change the status of 4 content items to In review?' }).waitFor();
    await page.getByText('2 others stay as they are.').waitFor();
    await page.getByRole('button', { name: 'Change 4 content items' }).click();
    await page.getByText('1 content item not written').waitFor();
    await page
      .getByRole('row', { name: /Title of con_1 .*cannot change from Archived to In review/ })
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await bar(page).getByText('3 content items selected').waitFor();
    expect(await Promise.all(['con_0', 'con_1', 'con_4'].map(statusOf))).toEqual([
      'in_review',
      'archived',
      'in_review',
    ]);
    expect(await page.getByRole('cell', { name: 'In review' }).count()).toBe(5);
  });

  test('are deleted after a question that names the number; companies with records are kept', async () => {
    const page = await open(owner, `${base}/companies`);
    await box(page, 'Acme').waitFor();
    await all(page).click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('heading', { name: 'Delete 3 companies?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await stored('companies')).toEqual(['com_a', 'com_b', 'com_c']);
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('button', { name: 'Delete 3 companies' }).click();
    await page.getByRole('heading', { name: '2 companies deleted' }).waitFor();
    await page.getByRole('row', { name: /Acme .*still has records/ }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 company', { exact: true }).waitFor();
    expect(await stored('companies')).toEqual(['com_a']);
  });

  test('are deleted in chunks that “Stop” ends, and the rest can follow', async () => {
    const page = await open(owner, `${base}/mentions`, { width: 360 });
    for (const count of ['150', '250', '330']) {
      await page.getByRole('button', { name: 'Load more' }).click();
      await page
        .getByText(count === '330' ? '330 mentions' : `${count} of 330 mentions shown`, { exact: true })
        .waitFor();
    }
    await page.evaluate(() => scrollTo(0, 0));
    await all(page).click();
    await bar(page).getByText('330 mentions selected').waitFor();
    const sizes: number[] = [];
    let arrived = (): void => undefined;
    const second = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/batch/delete', async (route) => {
      sizes.push((route.request().postDataJSON() as { data: unknown[] }).data.length);
      if (sizes.length === 2) {
        arrived();
        await held;
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('button', { name: 'Delete 330 mentions' }).click();
    await second;
    await page.getByText('100 of 330 mentions').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    release();
    await page.getByText('Stopped. 130 mentions not sent.').waitFor();
    expect(await stored('mentions')).toHaveLength(130);
    await page.getByRole('button', { name: 'Continue with 130 mentions' }).click();
    await page.getByText('330 mentions deleted').first().waitFor();
    expect(sizes).toEqual([100, 100, 100, 30]);
    expect(await stored('mentions')).toEqual([]);
    await page.getByText('No mentions yet').waitFor();
  });
});
