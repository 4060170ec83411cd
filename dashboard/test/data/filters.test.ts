import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { focused, goTo, press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the filters of a list, by keyboard', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const base = `/w/${workspaceId}/data`;
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
  const at = (day: number): string => new Date(Date.UTC(2026, 2, day, 12)).toISOString();
  await seed('companies', [{ id: 'com_a', name: 'Acme', createdAt: at(1) }]);
  await seed(
    'audits',
    Array.from({ length: 20 }, (_, i) => ({
      id: `aud_${String(i).padStart(2, '0')}`,
      companyId: 'com_a',
      headlineScore: i * 5,
      completedAt: at(20 - i),
      createdAt: at(i + 1),
    })),
  );
  await seed(
    'mentions',
    ['positive', 'neutral', 'negative'].flatMap((sentiment) =>
      ['one', 'two'].map((name, i) => ({
        id: `men_${sentiment}_${name}`,
        companyId: 'com_a',
        title: `The ${name} plant`,
        source: `${name}.example`,
        sentiment,
        publishedAt: at(i + 1),
        createdAt: at(i + 1),
      })),
    ),
  );
  await seed('content', [{ id: 'con_a', companyId: 'com_a', title: 'Words', createdAt: at(1) }]);

  const count = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
  const sortedBy = (page: Page, name: string) =>
    page.getByRole('columnheader', { name }).getAttribute('aria-sort');

  test('equality, the search and the sort are in the URL, and can be cleared', async () => {
    const page = await open(owner, `${base}/mentions`);
    await count(page, '6 mentions');
    await goTo(page, 'Sentiment');
    await page.keyboard.type('Neg');
    await page.waitForURL(/sentiment=negative/);
    await count(page, '2 mentions');
    await goTo(page, 'Source');
    await page.keyboard.type('two.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(/source=two\.example/);
    await count(page, '1 mention');
    await page.reload();
    await count(page, '1 mention');
    await press(page, 'Clear filters');
    await count(page, '6 mentions');
    await goTo(page, 'Search mentions');
    await page.keyboard.type('ONE pl');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=ONE/);
    await count(page, '3 mentions');
    await expectAccessible(page);
    await goTo(page, 'Search mentions');
    await page.keyboard.type(' of none');
    await page.keyboard.press('Enter');
    await page.getByText('No mentions match these filters').waitFor();
    await expectAccessible(page);
  });

  test('a range sorts the list by its field, and a value out of range is not applied', async () => {
    const page = await open(owner, `${base}/audits`);
    await count(page, '20 audits');
    await press(page, 'Ranges');
    await expectAccessible(page);
    await goTo(page, 'Headline score at least');
    await page.keyboard.type('101');
    await page.keyboard.press('Tab');
    await page.getByRole('alert').filter({ hasText: 'Enter at most 100.' }).waitFor();
    await expectAccessible(page);
    expect(page.url()).not.toMatch(/headlineScoreMin/);
    await page.getByLabel('Headline score at least').fill('');
    await page.getByLabel('Headline score at least').focus();
    await page.keyboard.type('90');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sort=score-descending/);
    await count(page, '2 audits');
    expect(await sortedBy(page, 'Headline score')).toBe('descending');
    await page.reload();
    await count(page, '2 audits');
    expect(await page.getByLabel('Headline score at least').inputValue()).toBe('90');
    await page.getByLabel('Sort by').selectOption('completed-ascending');
    await count(page, '20 audits');
    await page.getByLabel(/^Completed before/).fill('2026-03-03T00:00');
    // Leaving the field applies it.
    await page.keyboard.press('Shift+Tab');
    await page.waitForURL(/completedBefore=/);
    await count(page, '2 audits');
    await expectAccessible(page);
  });

  test('clearing the filters clears a value that is not allowed', async () => {
    const page = await open(owner, `${base}/audits?sort=score-descending&headlineScoreMin=90`);
    await count(page, '2 audits');
    const most = page.getByLabel('Headline score at most');
    await most.fill('101');
    await most.press('Enter');
    await page.getByText('Enter at most 100.').waitFor();
    await press(page, 'Clear filters');
    await count(page, '20 audits');
    expect(await most.inputValue()).toBe('');
    expect(await page.getByText('Enter at most 100.').count()).toBe(0);
  });

  test('Enter applies a time', async () => {
    const page = await open(owner, `${base}/audits`);
    await count(page, '20 audits');
    await press(page, 'Ranges');
    const before = page.getByLabel(/^Completed before/);
    await before.fill('2026-03-03T00:00');
    await before.press('Enter');
    await page.waitForURL(/completedBefore=/);
    await count(page, '2 audits');
  });

  test('the heads of columns sort the list and keep the focus', async () => {
    const page = await open(owner, `${base}/audits`);
    await count(page, '20 audits');
    expect(await sortedBy(page, 'Completed')).toBe('descending');
    expect(await sortedBy(page, 'Headline score')).toBe('none');
    expect(await sortedBy(page, 'Company')).toBeNull();
    await press(page, 'Headline score');
    await page.waitForURL(/sort=score-descending/);
    await page.getByRole('row').nth(1).getByText('95', { exact: true }).waitFor();
    expect(await focused(page)).toBe('Headline score');
    await page.keyboard.press('Space');
    await page.waitForURL(/sort=score-ascending/);
    await page.getByRole('row').nth(1).getByText('0', { exact: true }).waitFor();
    expect(await sortedBy(page, 'Headline score')).toBe('ascending');
    expect(await sortedBy(page, 'Completed')).toBe('none');
    await expectAccessible(page);
  });

  test.each(['mentions', 'content', 'companies'])('%s show the column that sorts them', async (name) => {
    const page = await open(owner, `${base}/${name}`);
    await page.getByRole('row').nth(1).waitFor();
    expect(await sortedBy(page, 'Created')).toBe('descending');
  });

  test.each(['keys', 'log'])('the page of the %s shows what sorts it, in every width', async (name) => {
    await service.issue(workspaceId, { name: 'Crawler' });
    const page = await open(owner, `/w/${workspaceId}/${name}`, { width: 1280 });
    await page.getByRole('row').nth(1).waitFor();
    const column = page.getByRole('columnheader', { name: name === 'keys' ? 'Created' : 'Time' });
    expect(await column.getAttribute('aria-sort')).toBe('descending');
    await page.setViewportSize({ width: 360, height: 740 });
    const first = page.getByRole('row').nth(1);
    await (name === 'keys' ? first.getByText(/^Created/) : first.locator('time')).first().waitFor();
    await expectAccessible(page);
  });

  test('on a phone, each row shows its score, sentiment or status without scrolling', async () => {
    for (const [name, title, shown] of [
      ['audits', 'aud_00', '0'],
      ['mentions', 'The one plant', 'Positive'],
      ['content', 'Words', 'Published'],
    ] as const) {
      const page = await open(owner, `${base}/${name}?${name === 'audits' ? 'sort=score-ascending' : ''}`, {
        width: 360,
      });
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: title, exact: true }) });
      const box = await row.first().getByText(shown, { exact: true }).first().boundingBox();
      expect(box === null ? Number.NaN : box.x + box.width).toBeLessThanOrEqual(360);
      const table = page
        .locator('section')
        .filter({ has: page.getByRole('table') })
        .last();
      const hidden = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(hidden, 'pixels that must be scrolled sideways').toBe(0);
      await expectAccessible(page);
    }
  });

  test('the window may become narrow and wide again', async () => {
    const page = await open(owner, `${base}/audits`);
    await count(page, '20 audits');
    expect(await page.getByRole('columnheader').count()).toBe(5);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(2);
    await page.getByRole('link', { name: 'aud_00' }).scrollIntoViewIfNeeded();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'aud_00' }) });
    expect((await row.boundingBox())?.height).toBe(88);
    await page.setViewportSize({ width: 1280, height: 740 });
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(5);
  });

  test('the total is shown: of all records, of those of a company, and of a range', async () => {
    const many = await dashboard.owner();
    const { token } = await service.issue(many.workspaceId, { access: 'write' });
    const create = async (path: string, body: object): Promise<void> => {
      const response = await service.request(token, `/v1/${path}`, {
        method: 'POST',
        payload: body,
      });
      expect(response.status).toBe(201);
    };
    await create('companies', { id: 'com_a', name: 'Acme' });
    await create('companies', { id: 'com_b', name: 'Borealis' });
    for (let i = 0; i < 60; i++) {
      await create('audits', { companyId: i < 55 ? 'com_a' : 'com_b', headlineScore: i, completedAt: at(1) });
    }
    const list = `/w/${many.workspaceId}/data/audits`;
    const page = await open(many, list);
    await count(page, '50 of 60 audits shown');
    await page.goto(`${list}?companyId=com_a`);
    await count(page, '50 of 55 audits shown');
    await page.getByRole('button', { name: 'Load more' }).click();
    await count(page, '55 audits');
    await page.goto(`${list}?sort=score-descending&headlineScoreMin=5`);
    await count(page, '50 of 55 audits shown');
  });
});
