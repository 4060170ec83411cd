import { readFile } from 'node:fs/promises';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

const MENTIONS = 350;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the export of a list', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
  const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString();
  await seed('companies', [{ id: 'com_a', name: 'Acme', createdAt: at(0) }]);
  await seed(
    'mentions',
    Array.from({ length: MENTIONS }, (_, i) => ({
      id: `men_${String(i).padStart(3, '0')}`,
      companyId: 'com_a',
      title: i === 0 ? '=1+1' : `Title ${i}`,
      source: 'news.example',
      sentiment: i % 7 === 0 ? 'negative' : 'positive',
      publishedAt: at(i),
      createdAt: at(i),
    })),
  );

  await service.pool.query(
    `insert into record_counts (workspace_id, resource, company_id, records) values ($1, 'mentions', '', $2)`,
    [workspaceId, MENTIONS],
  );

  const download = async (page: Page, format: RegExp): Promise<string> => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('radio', { name: format }).check();
    const saved = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^mentions-\d{4}-\d\d-\d\d\.(csv|ndjson)$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return readFile(await file.path(), 'utf8');
  };

  test('has every record of the list, in its order, and nothing that a spreadsheet would run', async () => {
    const page = await open(owner, `/w/${workspaceId}/data/mentions?sort=published-ascending`);
    await page.getByText(`50 of ${MENTIONS} mentions shown`).waitFor();
    const lines = (await download(page, /^CSV/)).trimEnd().split('\n');
    const columns = lines[0]?.split(',') ?? [];
    expect(columns).toEqual(Object.keys(resourceNamed('mentions').fields));
    const ids = lines.slice(1).map((line) => line.split(',')[columns.indexOf('id')]);
    expect(ids).toEqual(Array.from({ length: MENTIONS }, (_, i) => `men_${String(i).padStart(3, '0')}`));
    expect(lines[1]).toContain(`'=1+1`);
  });

  test('changes nothing when it is imported, in the format that is for an import', async () => {
    const filtered = 'sentiment=negative&sort=published-ascending';
    const page = await open(owner, `/w/${workspaceId}/data/mentions?${filtered}`);
    await page.getByText('50 mentions', { exact: true }).waitFor();
    const text = await download(page, /import/);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'mentions', mimeType: '', buffer: Buffer.from(text) });
    await page.getByRole('checkbox', { name: 'Replace records whose id exists' }).click();
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('button', { name: 'Import and replace 50 mentions' }).click();
    await page.getByText('0 mentions imported, 50 replaced, none refused.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: '=1+1', exact: true }).waitFor();
  });

  test('has only the records that match the filters, which have a total', async () => {
    const page = await open(owner, `/w/${workspaceId}/data/mentions?sentiment=negative`);
    await page.getByText('50 mentions', { exact: true }).waitFor();
    const lines = (await download(page, /^NDJSON/)).trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { readonly sentiment: string });
    expect(records).toHaveLength(MENTIONS / 7);
    expect(new Set(records.map(({ sentiment }) => sentiment))).toEqual(new Set(['negative']));
  });

  test('shows no share of a total that is not exact', async () => {
    const counted = 10_001;
    const other = await dashboard.owner();
    await seedRecords(
      service.pool,
      other.workspaceId,
      resourceNamed('companies'),
      Array.from({ length: counted }, (_, i) => ({
        id: `com_${String(i).padStart(5, '0')}`,
        name: `Acme ${i}`,
        createdAt: at(i),
      })),
    );
    const page = await open(other, `/w/${other.workspaceId}/data/companies?q=acme`);
    await page.getByText('over 10,000 companies').waitFor();
    let pages = 0;
    await page.route(/\/data\/companies\?/, async (route) => {
      pages += 1;
      // A response that never comes.
      if (pages < 3) await route.continue();
    });
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText('200 companies').waitFor();
    const bar = dialog.getByRole('progressbar', { name: 'Export of companies' });
    expect(await bar.getAttribute('aria-valuenow')).toBeNull();
    await expectAccessible(page);
  });

  test('continues after a failure without a gap, and can be stopped', async () => {
    const page = await open(owner, `/w/${workspaceId}/data/mentions`);
    await page.getByText(`50 of ${MENTIONS} mentions shown`).waitFor();
    // The network fails after the first page.
    let pages = 0;
    await page.route(/\/data\/mentions\?/, async (route) => {
      pages += 1;
      await (pages === 2 ? route.abort() : route.continue());
    });
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByText('100 mentions').waitFor();
    await expectAccessible(page);
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    expect(new Set(text.trimEnd().split('\n')).size).toBe(MENTIONS + 1);

    // A response that does not come leaves the time to stop.
    await page.route(/\/data\/mentions\?/, () => undefined);
    await page.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByRole('radio', { name: /^CSV/ }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});
