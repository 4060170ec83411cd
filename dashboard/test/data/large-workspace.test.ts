import { SEARCHED_ROWS_MAX } from '@svc/service/config/limits';
import { CONTENT_COUNTED_MAX } from '@svc/service/dashboard/limits';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('in a workspace with many records', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
  const seed = async (name: string, rows: Parameters<typeof seedRecords>[3]): Promise<void> => {
    await seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
    await service.pool.query(
      `insert into record_counts (workspace_id, resource, company_id, records) values ($1, $2, '', $3)`,
      [workspaceId, name, rows.length],
    );
  };

  test('the company picker says that it searches only the newest by a part, and finds older ones by their start', async () => {
    await seed('companies', [
      { id: 'com_old', name: 'Oldest harbour', domain: null, createdAt: at(0) },
      ...Array.from({ length: SEARCHED_ROWS_MAX }, (_, i) => ({
        id: `com_${String(i).padStart(5, '0')}`,
        name: `Company ${i}`,
        domain: null,
        createdAt: at(i + 1),
      })),
    ]);
    const page = await open(owner, `/w/${workspaceId}/data/audits`);
    const picker = page.getByRole('dialog', { name: 'Choose a company' });
    const partial = picker.getByText('This workspace has many companies.');
    await press(page, 'All companies');
    await picker.getByRole('option').first().waitFor();
    expect(await partial.count(), 'without a search').toBe(0);
    await page.keyboard.type('harbour');
    await picker.getByText('No results').waitFor();
    await partial.waitFor();
    await expectAccessible(page);
    await page.getByPlaceholder('Name, domain or id').fill('oldest');
    await picker.getByRole('option', { name: /Oldest harbour/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/companyId=com_old/);
  });

  test('the overview counts content up to 1,000 per status', async () => {
    await seed(
      'content',
      Array.from({ length: 2 * (CONTENT_COUNTED_MAX + 1) }, (_, i) => ({
        id: `con_${String(i).padStart(5, '0')}`,
        companyId: 'com_old',
        title: `Words ${i}`,
        url: null,
        publishedAt: null,
        status: i % 2 === 0 ? 'draft' : 'archived',
        updatedAt: at(i),
        createdAt: at(i),
      })),
    );
    const page = await open(owner, `/w/${workspaceId}`);
    const panel = page.getByRole('region', { name: 'Content by status' });
    for (const status of ['Draft', 'Archived'])
      await panel.getByRole('link', { name: new RegExp(`^${status}\\s*1,000\\+$`) }).waitFor();
    await panel.getByRole('link', { name: /^Published\s*0$/ }).waitFor();
  });

  test('the list of keys finds an active key behind many that were revoked', async () => {
    const { keyId } = await service.issue(workspaceId, { name: 'Oldest key' });
    await service.pool.query(
      `insert into api_keys
         (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at, revoked_at)
       select workspace_id, 'key_' || i, 'Key ' || i, mode, access, hint, token_index || i::text::bytea, salt, salted_hash,
         created_at + i * interval '1 ms', now()
       from api_keys, generate_series(1, $3) i where workspace_id = $1 and id = $2`,
      [workspaceId, keyId, SEARCHED_ROWS_MAX + 100],
    );
    const page = await open(owner, `/w/${workspaceId}/keys`);
    await page.getByRole('row', { name: /Oldest key/ }).waitFor();
    await page.getByText('1 key', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Paused' }).click();
    await page.getByRole('heading', { name: 'No paused keys' }).waitFor();
  });
});
