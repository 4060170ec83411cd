import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type Person, type World } from '../harness/world.ts';

const CHANGED = 'Somebody else has signed in in this browser.';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('two people in one browser', () => {
  let world: World;
  let ada: Person;
  let bob: Person;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    bob = await world.person('Bob', 'Westwind');
    await world.join(ada.workspaceId, bob, 'admin');
  });

  test('a page that was loaded for one of them sends nothing in the name of the other', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.goto(`/w/${ada.workspaceId}/keys?create=true`);
    await page.getByLabel('Name').fill('Nightly crawler');
    // Without a sign-in in a tab of this browser, no message tells the page.
    const elsewhere = await world.signedIn(bob);
    await context.addCookies(await elsewhere.context.cookies());
    await page.getByRole('button', { name: 'Create key' }).last().click();
    await page.getByRole('status').getByText(CHANGED).waitFor();
    await page.getByRole('button', { name: 'Continue as bob@example.com' }).waitFor();
    await expectAccessible(page);
    expect((await world.pool.query('select 1 from api_keys')).rowCount).toBe(0);
    expectNoProblems(/status of 409/);
    await page.getByLabel('Email address').fill(ada.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Nightly crawler');
    expectNoProblems();
  });

  test('a sign-in is told to the other tabs, which can go on as the new person', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.goto(`/w/${ada.workspaceId}/settings`);
    const other = await context.newPage();
    await other.goto(await world.signInLink(bob));
    await other.getByRole('button', { name: 'Account of Bob' }).waitFor();
    await page.getByRole('status').getByText(CHANGED).waitFor();
    await page.getByRole('button', { name: 'Continue as bob@example.com' }).click();
    await page.getByRole('button', { name: 'Account of Bob' }).waitFor();
    expect(page.url()).toBe(`${world.url}/w/${ada.workspaceId}/settings`);
    expectNoProblems(/status of 409/);
  });

  test('a page that cannot be left yet stays that of its person', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.goto(`/w/${ada.workspaceId}/keys?create=true`);
    const names = async () =>
      (await world.pool.query('select name from api_keys')).rows.map(({ name }) => name);
    const create = async (name: string): Promise<void> => {
      await page.getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    };
    await create('Precious');
    const token = page.locator('[data-token]');
    const shown = await token.textContent();
    const other = await context.newPage();
    await other.goto(await world.signInLink(bob));
    await page
      .getByRole('alertdialog', { name: 'Leave this page?' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    expect(await token.textContent()).toBe(shown);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Account of Ada' }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await create('In the name of Bob');
    await page.getByRole('status').getByText(CHANGED).waitFor();
    expect(await names()).toEqual(['Precious']);
    expectNoProblems(/status of 409/);
  });

  test('Back from the sign-in page shows nothing of the first person, and the page leads to its own address', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Explorer', exact: true }).click();
    await page.getByRole('heading', { name: 'Explorer' }).waitFor();
    const cleo = await world.person('Cleo', 'Eastwind');
    const elsewhere = await world.signedIn(cleo);
    await context.addCookies(await elsewhere.context.cookies());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('status').getByText(CHANGED).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toMatch(/^\/w\/[^?]*$/);
    expectNoProblems(/status of 409/);
    await page.goBack();
    await page.getByRole('heading', { name: 'not found' }).waitFor();
    expect(await page.getByText('Northwind').count()).toBe(0);
    expectNoProblems(/status of 404|There is no such workspace/);
  });

  test('a sign-out from the page of the first person leads to the sign-in page, and ends no session', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('button', { name: 'Account of Ada' }).click();
    const elsewhere = await world.signedIn(bob);
    await context.addCookies(await elsewhere.context.cookies());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue as bob@example.com' }).click();
    await page.getByRole('button', { name: 'Account of Bob' }).waitFor();
    expectNoProblems(/status of 409/);
  });

  test('the page of the sign-in leads on if there is a session', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.goto('/sign-in?next=%2Faccount');
    await page.waitForURL(`${world.url}/account`);
    await page.goto(`/sign-in?next=${encodeURIComponent('//evil.example/')}`);
    await page.waitForURL(/\/w\//);
    expect(new URL(page.url()).origin).toBe(world.url);
    expectNoProblems();
  });
});
