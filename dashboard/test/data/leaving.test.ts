import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('leaving a page', () => {
  let world: World;
  let ada: Person;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    await seedRecords(world.pool, ada.workspaceId, resourceNamed('companies'), [
      { id: 'com_a', name: 'Acme', domain: null, createdAt: '2026-03-01T09:30:00Z' },
      { id: 'com_b', name: 'Dahlia', domain: null, createdAt: '2026-03-01T09:30:00Z' },
    ]);
  });

  /** The list of companies, after another page. */
  const openCompanies = async () => {
    const visitor = await world.signedIn(ada);
    await visitor.page.getByRole('link', { name: 'Companies', exact: true }).click();
    await visitor.page.getByRole('link', { name: 'Acme' }).waitFor();
    return visitor;
  };
  /** Holds the requests with this path until `release` is called. `held` resolves when there is one. */
  const hold = async (page: Page, path: RegExp) => {
    const released = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      await released.promise;
      await route.continue();
    });
    return { held: page.waitForRequest(path), release: released.resolve };
  };
  /** Opens the dialog of the import, and chooses a file with this text. */
  const choose = async (page: Page, text: string) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'companies.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    return dialog;
  };
  const question = (page: Page) => page.getByRole('alertdialog', { name: 'Leave this page?' });
  const stay = async (page: Page): Promise<void> => {
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await question(page).waitFor({ state: 'detached' });
  };
  const isStillThere = (page: Page): Promise<void> => page.waitForURL(/\/data\/companies(\?dialog=import)?$/);

  test('asks first while an import runs, and while its refused lines are shown', async () => {
    const { page, expectNoProblems } = await openCompanies();
    const dialog = await choose(page, 'name\nBorealis\n""\n');
    const { held, release } = await hold(page, /\/imports\/companies\?(?!.*dryRun)/);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await held;
    await page.goBack();
    await question(page).getByText('The import is running.').waitFor();
    await expectAccessible(page);
    await stay(page);
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    await page.goBack();
    await question(page).waitFor();
    release();
    // The import ends while the question is shown.
    await dialog.getByText('1 company imported, 1 refused.').waitFor();
    await question(page).waitFor({ state: 'detached' });
    await isStillThere(page);
    await page.keyboard.press('Escape');
    await page.goBack();
    await question(page).getByText('The list of refused lines is shown only once.').waitFor();
    await stay(page);
    await page.keyboard.press('Escape');
    await isStillThere(page);
    await dialog.getByRole('row', { name: /^3 / }).waitFor();
    await page.goBack();
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expectNoProblems();
  });

  test('does not ask after an import without refused lines', async () => {
    const { page } = await openCompanies();
    const dialog = await choose(page, 'name\nCumulus\n');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('1 company imported, none refused.').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('asks again if Back is pressed while it asks, and stays at its address', async () => {
    const { page } = await world.signedIn(ada);
    for (const name of ['Mentions', 'Audits', 'Companies']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    await page.getByRole('checkbox', { name: 'Select Dahlia' }).click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    const { held, release } = await hold(page, /\/batch\/delete$/);
    await page.getByRole('button', { name: 'Delete 1 company' }).click();
    await held;
    await page.goBack();
    await question(page).waitFor();
    await page.goBack();
    await stay(page);
    await isStillThere(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    release();
  });

  test('asks first while many records are changed', async () => {
    const { page, expectNoProblems } = await openCompanies();
    await page.getByRole('checkbox', { name: 'Select Acme' }).click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    const { held, release } = await hold(page, /\/batch\/delete$/);
    await page.getByRole('button', { name: 'Delete 1 company' }).click();
    await held;
    await page.goBack();
    await question(page).getByText('The records are being changed.').waitFor();
    await expectAccessible(page);
    await stay(page);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    release();
    await page.getByText('1 company deleted').first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await question(page).count()).toBe(0);
    expectNoProblems();
  });
});
