import { SEARCHED_ROWS_MAX } from '@svc/service/config/limits';
import { importText, ndjson } from '@svc/service/harness/import.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { focused, goTo } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

const MENTIONS = 120;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the page of a search', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  await service.issue(workspaceId, { name: 'Orrin crawler' });
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
  const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString();
  await seed('companies', [{ id: 'com_a', name: 'Orrin Health', domain: null, createdAt: at(0) }]);
  await seed(
    'mentions',
    Array.from({ length: MENTIONS }, (_, i) => ({
      id: `men_${i}`,
      companyId: 'com_a',
      title: `Orrin opens clinic ${i}`,
      source: 'news.example',
      url: 'https://news.example/clinics',
      sentiment: 'positive',
      publishedAt: at(i),
      createdAt: at(i),
    })),
  );
  const search = `/w/${workspaceId}/search`;

  test('opens from the command palette, and lists all records of a kind page by page, by keyboard', async () => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('orrin');
    await page.getByRole('group', { name: 'Companies' }).waitFor();
    await page.getByRole('option', { name: 'Show all results for “orrin”' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=orrin$/);
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByRole('link', { name: 'Orrin Health' }).waitFor();
    await results.getByRole('link', { name: 'Orrin crawler' }).waitFor();
    expect(await results.getByText('Mention', { exact: true }).count()).toBe(10);
    expect(await results.getByText('https://news.example/clinics').count()).toBe(10);

    await goTo(page, 'Best results');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/in=mentions/);
    await page.getByText('50 mentions shown').waitFor();
    expect(await focused(page)).toBe('Mentions');
    await page.getByRole('button', { name: 'Load more' }).press('Enter');
    await page.getByText(`${MENTIONS} mentions`, { exact: true }).waitFor();
    await page.goBack();
    await page.waitForURL(/\/search\?q=orrin$/);
    await results.getByRole('link', { name: 'Orrin Health' }).press('Enter');
    await page.waitForURL(/\/data\/companies\/com_a$/);
  });

  test('is more than the command palette searches, which says if older records may match', async () => {
    const many = await dashboard.owner();
    const mentions = Array.from({ length: SEARCHED_ROWS_MAX + 1 }, (_, i) => ({
      ...{ id: `men_${i}`, companyId: 'com_a', title: `Clinic ${i}`, source: 'news.example', excerpt: '' },
      ...{ url: 'https://news.example/clinics', sentiment: 'positive', publishedAt: at(i) },
    }));
    await importText(service.pool, many.workspaceId, 'companies', ndjson([{ id: 'com_a', name: 'Orrin' }]));
    await importText(service.pool, many.workspaceId, 'mentions', ndjson(mentions));
    const page = await open(many, `/w/${many.workspaceId}`);
    await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to' });
    await input.fill('zeppelin');
    await page.getByText('No results, but older records may match').waitFor();
    await expectAccessible(page);
    await input.fill('orrin');
    await page.getByText('Older records may match too.').waitFor();
    await page.getByRole('group', { name: 'Companies' }).waitFor();
  });

  test('keeps the typed text in its address, and says if there is nothing', async () => {
    const page = await open(owner, search);
    await page.getByText('Nothing to search for yet').waitFor();
    await goTo(page, 'Search');
    await page.keyboard.type('nobody has this');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=nobody/);
    await page.getByText('No results', { exact: true }).waitFor();
    await page.goto(`${search}?q=nobody&in=content`);
    await page.getByText('No results', { exact: true }).waitFor();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible and fits: %s, %i px', async (theme, width) => {
    for (const [query, text] of [
      ['', 'Nothing to search for yet'],
      ['?q=orrin', 'Orrin Health'],
      ['?q=orrin&in=mentions', 'Orrin opens clinic 119'],
      ['?q=nobody', 'No results'],
    ] as const) {
      const page = await open(owner, `${search}${query}`, { theme, width });
      await page.getByText(text).first().waitFor();
      await expectAccessible(page);
    }
  });
});
