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
  'a person connects the account to a provider, signs in with it, and reads why it fails',
  async () => {
    const { url, provider, log, ...world } = await createWorld({ openId: true });
    const { email } = await world.person('Ada');
    provider?.people.set('ada', { sub: 'ada', email, email_verified: true });

    const { page } = await world.visitor();
    const button = page.getByRole('button', { name: 'Continue with Example ID' });
    const signIn = async (): Promise<void> => {
      await page.context().clearCookies();
      await page.goto(`${url}/sign-in?next=/account`);
      await button.press('Enter');
      await page.getByLabel('Subject').fill('ada');
      await page.getByRole('button', { name: 'Continue' }).press('Enter');
    };
    await signIn();
    await page.getByRole('alert').getByText('There is an account for ada@example.com').waitFor();
    await page.getByText(/Request-Id: req_/).waitFor();
    expect(page.url()).toBe(`${url}/sign-in`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start again' }).press('Enter');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter');
    await page.waitForURL(/\/w\//);
    await page.goto(`${url}/account`);
    await page.getByRole('button', { name: 'Connect Example ID' }).press('Enter');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue', exact: true }).press('Enter');
    await page.getByText('with your password or with Example ID').waitFor();
    await expectAccessible(page);

    await signIn();
    await page.waitForURL(`${url}/account`);
    expect(log.join('\n')).not.toMatch(/[?&]code=|id_token/);
  },
);
