import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { longestTask } from '../harness/longest-task.ts';
import { createServiceWorld } from '../harness/service-world.ts';

/** Browsers call a task long if it takes more. */
const LONGEST_MS = 50;
const RECORDS = Number(process.env['SVC_TEST_RECORDS'] ?? 5000);
const AT_ONCE = 5000;
const PAGES = 20;
const SENTIMENTS = ['positive', 'neutral', 'negative'];

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a list of many records', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld({ asForPeople: true });
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
    { id: 'com_a', name: 'Acme', createdAt: at(0) },
  ]);
  for (let from = 0; from < RECORDS; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, RECORDS - from) }, (_, i) => ({
      id: `men_${String(from + i).padStart(6, '0')}`,
      companyId: 'com_a',
      title: `Plant ${from + i} reports a record`,
      source: `source${i % 40}.example`,
      sentiment: SENTIMENTS[i % SENTIMENTS.length],
      publishedAt: at(from + i),
      createdAt: at(from + i),
    }));
    await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), rows);
  }

  test('is sorted, filtered, searched and paged without a long task', async () => {
    const page = await open(owner, `/w/${workspaceId}/data/mentions`);
    // A retry would also measure this page.
    onTestFinished(() => page.close());
    const rows = page.locator('tbody tr[aria-rowindex]');
    await page.getByText('Plant', { exact: false }).first().waitFor();
    const answer = (part: RegExp) => page.waitForResponse((response) => part.test(response.url()));
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      sort: async () => {
        const answered = answer(/sort=published-ascending/);
        await page.getByLabel('Sort by').selectOption('published-ascending');
        await answered;
        await page.getByText('Plant 0 reports a record').waitFor();
      },
      filter: async () => {
        const answered = answer(/sentiment=negative/);
        await page.getByLabel('Sentiment').selectOption('negative');
        await answered;
        await page.getByText('Plant 2 reports a record').waitFor();
      },
      search: async () => {
        const answered = answer(/q=/);
        await page.getByLabel('Search mentions').fill('plant 2');
        await page.keyboard.press('Enter');
        await answered;
        await rows.first().waitFor();
      },
      clear: async () => {
        await page.getByRole('button', { name: 'Clear filters' }).click();
        await page.getByText('50 mentions shown').waitFor();
      },
      page: async () => {
        for (let loaded = 1; loaded <= PAGES; loaded++) {
          await page.getByRole('button', { name: 'Load more' }).click();
          const shown = (50 + loaded * 100).toLocaleString('en');
          await page.getByText(`${shown} mentions shown`).waitFor();
        }
        expect(await rows.count()).toBeLessThan(100);
      },
      scroll: async () => {
        for (const share of [0, 0.3, 0.6, 0.9]) {
          await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), share);
          await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
        }
      },
    };
    const longest: Record<string, number> = {};
    for (const [name, act] of Object.entries(steps)) longest[name] = Math.round(await longestTask(page, act));
    process.stderr.write(`the longest tasks in ms: ${JSON.stringify(longest)}\n`);
    expect(Object.entries(longest).filter(([, milliseconds]) => milliseconds > LONGEST_MS)).toEqual([]);
  });
});
