import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { focused, goTo, press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the bar with the filters of a list', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const base = `/w/${owner.workspaceId}/data`;
  const createdAt = '2026-03-01T12:00:00.000Z';
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, owner.workspaceId, resourceNamed(name), rows);
  await seed('companies', [{ id: 'com_a', name: 'Acme', createdAt }]);
  await seed(
    'mentions',
    ['positive', 'neutral', 'negative'].flatMap((sentiment) =>
      ['one', 'two'].map((name) => ({
        id: `men_${sentiment}_${name}`,
        companyId: 'com_a',
        title: `The ${name} plant`,
        source: `${name}.example`,
        sentiment,
        publishedAt: createdAt,
        createdAt,
      })),
    ),
  );
  const count = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  test('the search is applied while the person types, and when it is emptied', async () => {
    const page = await open(owner, `${base}/mentions?source=two.example`);
    await count(page, '3 mentions');
    const search = page.getByLabel('Search mentions');
    await search.pressSequentially('two  pl');
    await page.waitForURL(/q=two/);
    await search.pressSequentially('ants');
    await page.getByText('No mentions match these filters').waitFor();
    expect(await search.inputValue()).toBe('two  plants');
    expect(await search.evaluate((element) => element === document.activeElement)).toBe(true);
    await search.fill('');
    await count(page, '3 mentions');
    await page.getByLabel('Source', { exact: true }).fill('');
    await count(page, '6 mentions');
    // Neither key nor pause has its own entry of the history.
    expect(new URL(page.url()).search).toBe('');
  });

  test('a button that clears the filters leaves the focus in the filters', async () => {
    const page = await open(owner, `${base}/mentions?source=two.example`);
    await count(page, '3 mentions');
    await press(page, 'Clear filters');
    await count(page, '6 mentions');
    expect(await focused(page)).toBe('All companies');
    await page.goto(`${base}/mentions?source=three.example`);
    await page.getByText('No mentions match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().press('Enter');
    await count(page, '6 mentions');
    expect(await focused(page)).toBe('All companies');
  });

  test('a filter that is set moves no button beyond the window', async () => {
    const page = await open(owner, `${base}/mentions`, { width: 1280 });
    const [columns, newer] = ['Columns', 'Load newer'].map((name) => page.getByRole('button', { name }));
    const lines = async (): Promise<number> => {
      const [a, b] = await Promise.all([columns?.boundingBox(), newer?.boundingBox()]);
      return (a?.y ?? Number.NaN) - (b?.y ?? Number.NaN);
    };
    await count(page, '6 mentions');
    for (const width of [1280, 1180, 1100, 1024]) {
      await page.setViewportSize({ width, height: 740 });
      for (const sentiment of ['negative', '']) {
        await page.getByLabel('Sentiment').selectOption(sentiment);
        await count(page, sentiment === '' ? '6 mentions' : '2 mentions');
        expect(await lines(), `${width} px, sentiment ${sentiment}`).toBe(0);
      }
    }
  });

  test('without companies, the choice of a company leads members who can create one to their list', async () => {
    const newcomer = await dashboard.owner();
    const audits = `/w/${newcomer.workspaceId}/data/audits`;
    const page = await open(newcomer, audits);
    await press(page, 'Create audit');
    await page.getByRole('dialog').getByText('No companies yet').waitFor();
    await expectAccessible(page);
    await goTo(page, 'Create or import a company first');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const viewer = await open(await dashboard.member(newcomer.workspaceId, 'viewer'), audits);
    await press(viewer, 'All companies');
    await viewer.getByText('No companies yet', { exact: true }).waitFor();
    expect(await viewer.getByRole('link', { name: /a company first/ }).count()).toBe(0);
  });
});
