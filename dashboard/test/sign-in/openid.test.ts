import { expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH, createWorld, PASSWORD } from '../harness/world.ts';

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
