import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
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

  test('that was changed on disk after it was chosen has to be chosen again', async () => {
    const file = join(await temporaryDirectory(), 'companies.csv');
    await writeFile(file, 'name\nBefore\n');
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file);
    await dialog.getByRole('cell', { name: 'Before' }).waitFor();
    await writeFile(file, 'name\nAfterwards\n');
    // The browser compares whole seconds.
    await utimes(file, 1_000_000_000, 1_000_000_000);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^The browser could not read the file. Choose it again.$/)
      .waitFor();
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('1 company imported, none refused.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Afterwards' }).waitFor();
  });
});
