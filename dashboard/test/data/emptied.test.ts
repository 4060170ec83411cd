import { expect, test } from 'vitest';
import { BROWSER_PATH, createWorld } from '../harness/world.ts';

const COMPANIES = 60;

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)(
  'a list whose loaded rows were all deleted loads the next ones by itself',
  async () => {
    const world = await createWorld();
    const ada = await world.person('Ada');
    const { page, expectNoProblems } = await world.signedIn(ada);
    // Records that are deleted have to be counted, so the service creates them.
    for (let i = 0; i < COMPANIES; i++) {
      const created = await page.request.post(`/dashboard/api/workspaces/${ada.workspaceId}/data/companies`, {
        headers: { 'idempotency-key': `company-${i}`, origin: world.url },
        data: { name: `Company ${i}` },
      });
      expect(created.status()).toBe(201);
    }
    await page.goto(`/w/${ada.workspaceId}/data/companies`);
    await page.getByText('50 of 60 companies shown').waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('button', { name: 'Delete 50 companies' }).click();
    await page.getByText('10 companies', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^Select Company/ }).count()).toBe(10);
    expectNoProblems();
  },
);
