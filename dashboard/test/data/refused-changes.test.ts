import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a change that is refused', () => {
  let world: World;
  let ada: Person;
  let ben: Person;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada', 'Northwind');
    ben = await world.person('Ben', 'Own');
    await world.join(ada.workspaceId, ben, 'admin');
    const createdAt = '2026-03-01T09:30:00Z';
    const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
      seedRecords(world.pool, ada.workspaceId, resourceNamed(name), rows);
    await seed('companies', [{ id: 'com_a', name: 'Acme', domain: null, createdAt }]);
    await seed('api-keys', [{ id: 'key_a', companyId: 'com_a', revokedAt: null, createdAt }]);
  });

  const setRole = (role: string) =>
    world.pool.query('update members set role = $3 where workspace_id = $1 and user_id = $2', [
      ada.workspaceId,
      ben.userId,
      role,
    ]);
  const endSessions = () => world.pool.query('delete from sessions where user_id = $1', [ben.userId]);
  const open = async (path: string) => {
    await setRole('admin');
    const visitor = await world.signedIn(ben);
    await visitor.page.goto(`/w/${ada.workspaceId}${path}`);
    return visitor;
  };
  const askToRevoke = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByRole('alertdialog').waitFor();
  };
  const revoke = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' });
  const roleIsNow = (page: Page) =>
    page.getByText('Your role in this workspace is now viewer.', { exact: true }).waitFor();
  const expired = (page: Page) => page.getByRole('status').getByText('Your session has expired.').waitFor();

  test('after a question, because the role has changed: the page shows what the present role allows', async () => {
    const { page, expectNoProblems } = await open('/keys');
    await askToRevoke(page);
    await setRole('viewer');
    await revoke(page).click();
    await roleIsNow(page);
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('button[aria-disabled="true"]', { hasText: 'Create key' }).first().waitFor();
    expectNoProblems(/status of 403/);
  });

  test('after a question, because the session has ended: the sign-in page says so', async () => {
    const { page, expectNoProblems } = await open('/keys');
    await askToRevoke(page);
    await endSessions();
    await revoke(page).click();
    await expired(page);
    expectNoProblems(/status of 401/);
  });

  test('for many records, because the role has changed: the dialog stays, and says what was not written', async () => {
    const { page, expectNoProblems } = await open('/data/companies');
    await page.getByRole('checkbox', { name: 'Select Acme' }).click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await setRole('viewer');
    await page.getByRole('button', { name: 'Delete 1 company' }).click();
    await roleIsNow(page);
    await page.getByRole('dialog').getByText('1 company not sent.').waitFor();
    expect(await page.getByRole('button', { name: /^Continue with/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Acme' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Selection' }).count()).toBe(0);
    expectNoProblems(/status of 403/);
  });

  const chooseFile = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const buffer = Buffer.from('name\nBorealis\n');
    const checked = page.waitForResponse(/\/imports\//);
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'companies.csv', mimeType: 'text/csv', buffer });
    await checked;
  };
  const importFile = (page: Page): Promise<void> =>
    page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();

  test('for a file, because the role has changed: the dialog does not speak of written records', async () => {
    const { page, expectNoProblems } = await open('/data/companies');
    await chooseFile(page);
    await setRole('viewer');
    await importFile(page);
    await roleIsNow(page);
    const problem = page.getByRole('dialog').getByRole('alert');
    expect(await problem.textContent()).toBe('A member with the role viewer may not do this.');
    expectNoProblems(/status of 403/);
  });

  test('for a file, because the session has ended: the sign-in page says so', async () => {
    const { page, expectNoProblems } = await open('/data/companies');
    await chooseFile(page);
    await endSessions();
    await importFile(page);
    await expired(page);
    expectNoProblems(/status of 401/);
  });
});
