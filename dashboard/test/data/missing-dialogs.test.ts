import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { BROWSER_PATH, createWorld } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a dialog whose code is missing', () => {
  test('says why, is not asked for again and again, and opens later', async () => {
    const world = await createWorld();
    const ada = await world.person('Ada');
    const createdAt = '2026-03-01T09:30:00Z';
    await seedRecords(world.pool, ada.workspaceId, resourceNamed('companies'), [
      { id: 'com_a', name: 'Acme', domain: null, createdAt },
    ]);
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.clock.install();
    const asked: string[] = [];
    const dialogs = /\/(?:import-dialog|export-list|bulk-dialog)-.*\.js$/;
    await page.route(dialogs, (route) => {
      asked.push(route.request().url());
      return route.fulfill({ status: 404 });
    });
    await page.goto(`/w/${ada.workspaceId}/data/companies`);
    await page.getByRole('checkbox', { name: 'Select Acme' }).click();
    const press = async (name: string, answer: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText(answer).first().waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
    };
    for (const name of ['Import', 'Export', 'Delete selected'])
      await press(name, 'There is a newer release. Reload the page.');
    const before = asked.length;
    await page.clock.fastForward(20_000);
    await press('Import', 'There is a newer release. Reload the page.');
    expect(asked.length).toBeGreaterThan(before);
    expect(asked.slice(before).every((url) => url.includes('import-dialog'))).toBe(true);
    await page.unroute(dialogs);
    await world.stop();
    try {
      await press('Import', 'The service cannot be reached.');
    } finally {
      await world.start();
    }
    for (const name of ['Delete selected', 'Import']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expectNoProblems(/net::ERR_|status of 404/);
  });
});
