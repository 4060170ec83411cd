import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a file to import', async () => {
  if (BROWSER_PATH === undefined) return;
  const { dashboard, open } = await createServiceWorld({ asForPeople: true });
  const owner = await dashboard.owner();
  const companies = `/w/${owner.workspaceId}/data/companies`;

  test('whose columns have no names: only a single one can be mapped, because the names tell them apart', async () => {
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import a file' }).click();
    const choose = (text: string) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'companies.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const unnamed = page.getByLabel('Field of the column (no name)');
    await choose('name,,\nAcme,acme.example,x\n');
    await page.getByText('Name this column in the file first.').first().waitFor();
    expect(await unnamed.evaluateAll((all: HTMLSelectElement[]) => all.map((one) => one.disabled))).toEqual([
      true,
      true,
    ]);
    await expectAccessible(page);
    await choose('name,\nAcme,acme.example\n');
    await unnamed.selectOption('domain');
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 company imported, none refused.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'acme.example' }).waitFor();
  });
});
