import { beforeAll, describe, expect, test } from 'vitest';
import { readAgain } from './harness/background-read.ts';
import type { Visitor } from './harness/visitor.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from './harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the settings', () => {
  let world: World;
  let ada: Person;
  let visitor: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada', 'Northwind');
    visitor = await world.signedIn(ada);
  });

  const open = (tab = ''): Promise<unknown> => visitor.page.goto(`/w/${ada.workspaceId}/settings${tab}`);

  test('rename the workspace, immediately on all pages', async () => {
    const { page, expectNoProblems } = visitor;
    await open();
    await page.getByLabel('Name').fill('Southwind');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Workspace Southwind' }).waitFor();
    await page.reload();
    expect(await page.getByLabel('Name').inputValue()).toBe('Southwind');
    expectNoProblems();
  });

  test('set and remove the live quota and the burst limit, and show the use of this month', async () => {
    const { page, expectNoProblems } = visitor;
    await open('?tab=limits');
    const quota = page.getByRole('region', { name: 'Live quota' });
    await quota.getByText('live requests this month').waitFor();
    await quota.getByLabel('Live requests per month').fill('5000');
    await quota.getByText('5,000').waitFor();
    await quota.getByRole('button', { name: 'Save' }).click();
    await quota.getByText('0 of 5,000 used this month').waitFor();
    const burst = page.getByRole('region', { name: 'Burst limit' });
    await burst.getByLabel('Requests per second and key').fill('50');
    await burst.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Burst limit saved.', { exact: true }).waitFor();

    await page.reload();
    expect(await burst.getByLabel('Requests per second and key').inputValue()).toBe('50');
    await quota.getByLabel('Live requests per month').fill('');
    await quota.getByRole('button', { name: 'Save' }).click();
    await quota.getByText('live requests this month').waitFor();
    await page.getByRole('region', { name: 'Audit log' }).getByText('400 days').waitFor();
    expectNoProblems();
  });

  test('create another workspace, and the switcher opens either one', async () => {
    const { page, expectNoProblems } = visitor;
    await open();
    await page.getByRole('button', { name: 'Workspace Southwind' }).click();
    await page.getByRole('menuitem', { name: 'New workspace' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Second');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'Workspace Second' }).waitFor();
    expect(page.url()).not.toContain(ada.workspaceId);
    await page.getByRole('button', { name: 'Workspace Second' }).click();
    await page.getByRole('menuitemradio', { name: /Southwind/ }).click();
    await page.waitForURL(new RegExp(ada.workspaceId));
    // The start page is the last visited workspace.
    await page.goto('/');
    await page.getByRole('button', { name: 'Workspace Southwind' }).waitFor();
    expectNoProblems();
  });

  test('of the account keep the workspace of their tab, also after another tab has opened another one', async () => {
    const grace = await world.person('Grace', 'First');
    const heidi = await world.person('Heidi', 'Second');
    await world.join(heidi.workspaceId, grace, 'viewer');
    const { page, context } = await world.signedIn(grace);
    await page.goto(`/w/${grace.workspaceId}`);
    await page.getByRole('button', { name: 'Workspace First' }).waitFor();
    const other = await context.newPage();
    await other.goto(`/w/${heidi.workspaceId}`);
    await other.getByRole('button', { name: 'Workspace Second' }).waitFor();
    await page.getByRole('button', { name: 'Account of Grace' }).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.getByRole('button', { name: 'Workspace First' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Workspace First' }).waitFor();
    // A new tab begins with the workspace that was opened last.
    const third = await context.newPage();
    await third.goto('/account');
    await third.getByRole('button', { name: 'Workspace Second' }).waitFor();
  });

  test('show the name that somebody else has given meanwhile, and take it for no input', async () => {
    const { page } = visitor;
    await page.clock.install();
    await open();
    await page.getByLabel('Name').waitFor();
    await world.pool.query(`update workspaces set name = 'Eastwind' where id = $1`, [ada.workspaceId]);
    await readAgain(page);
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Eastwind');
    await page.getByRole('button', { name: 'Rename' }).focus();
    await page.getByRole('tooltip', { name: 'The name has not changed.' }).waitFor();
  });

  test('change the theme, for this browser and across a reload', async () => {
    const { page } = visitor;
    await open();
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Account of Ada' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await ground()).not.toBe(light);
  });
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('times', () => {
  test('are in the zone of the viewer, with UTC in the tooltip', async () => {
    const world = await createWorld();
    const ada = await world.person('Ada');
    await world.pool.query(`update workspaces set created_at = '2026-01-15T23:30:00Z' where id = $1`, [
      ada.workspaceId,
    ]);
    const { page } = await world.signedIn(ada);
    await page.goto(`/w/${ada.workspaceId}/settings`);
    const time = page.getByRole('region', { name: 'About' }).locator('time');
    expect(await time.textContent()).toContain('Jan 16, 2026, 00:30:00 GMT+1');
    expect(await time.getAttribute('title')).toContain('Jan 15, 2026, 23:30:00 UTC');
  });
});
