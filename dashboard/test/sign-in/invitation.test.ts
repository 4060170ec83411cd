import { expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type Person } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)(
  'a person joins with an invitation and a provider, with a new account and with a connected one',
  async () => {
    const world = await createWorld({ openId: true });
    const { provider, url, log } = world;
    const ada = await world.person('Ada');
    const carl = await world.person('Carl', 'Westwind');
    const bob = await world.person('Bob', 'Lobby');
    provider?.people.set('grace', { sub: 'grace', email: 'grace@example.com', email_verified: true });
    const invite = async (person: Person): Promise<string> => {
      const { page } = await world.signedIn(person);
      await page.goto(`${url}/w/${person.workspaceId}/settings?tab=members&invite=true`);
      await page.getByLabel('Email address').fill('grace@example.com');
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByRole('button', { name: 'Copy link' }).click();
      return page.evaluate('navigator.clipboard.readText()');
    };
    const first = await invite(ada);
    const second = await invite(carl);

    const { page } = await world.visitor();
    const button = page.getByRole('button', { name: 'Continue with Example ID' });
    await page.goto(first);
    const answered = page.waitForResponse(/\/auth\/openid$/);
    await page.reload();
    await page.goto(first);
    await answered;
    await page.getByLabel('Your name').waitFor();
    expect(await button.count(), 'without an account, and newcomers are not admitted').toBe(0);

    await world.stop();
    await world.start(bob.workspaceId);
    const join = async (link: string, workspace: string): Promise<void> => {
      await page.context().clearCookies();
      await page.goto('about:blank');
      await page.goto(link);
      await button.press('Enter');
      await page.getByLabel('Subject').fill('grace');
      await page.getByRole('button', { name: 'Continue' }).press('Enter');
      await page.getByRole('heading', { name: `Join ${workspace}` }).waitFor();
      await page.getByRole('button', { name: 'Join', exact: true }).waitFor();
      expect(page.url()).toBe(`${url}/invitation`);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
      await page.waitForURL(/\/w\//);
      await page.getByRole('button', { name: `Workspace ${workspace}` }).waitFor();
    };
    await join(first, 'Northwind');
    await join(second, 'Westwind');
    for (const link of [first, second]) expect(log.join('')).not.toContain(link.split('#token=')[1]);
  },
);

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)(
  'an invitation that somebody else opens says who is signed in, and leads to the form after the sign-out',
  async () => {
    const world = await createWorld();
    const ada = await world.person('Ada');
    const bob = await world.person('Bob', 'Westwind');
    const { page: inviting } = await world.signedIn(ada);
    await inviting.goto(`${world.url}/w/${ada.workspaceId}/settings?tab=members&invite=true`);
    await inviting.getByLabel('Email address').fill('grace@example.com');
    await inviting.getByRole('button', { name: 'Create link' }).click();
    await inviting.getByRole('button', { name: 'Copy link' }).click();
    const link: string = await inviting.evaluate('navigator.clipboard.readText()');
    const { page, expectNoProblems } = await world.signedIn(bob);
    const open = async (): Promise<void> => {
      await page.goto('about:blank');
      await page.goto(link);
      await page.getByRole('status').getByText('You are signed in as bob@example.com.').waitFor();
    };
    await open();
    await expectAccessible(page);
    expect(await page.getByLabel('Your name').count()).toBe(0);
    await page.getByRole('link', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Account of Bob' }).waitFor();
    await open();
    await page.getByRole('button', { name: 'Sign out and join as grace@example.com' }).click();
    await expect
      .poll(() => page.getByLabel('Your name').evaluate((field) => field === document.activeElement))
      .toBe(true);
    await page.getByLabel('Your name').fill('Grace');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('button', { name: 'Account of Grace' }).waitFor();
    expectNoProblems();
  },
);
