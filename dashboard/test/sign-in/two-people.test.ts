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
