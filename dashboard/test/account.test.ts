import { readFile } from 'node:fs/promises';
import { totpCode } from '@svc/service/harness/totp.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from './harness/accessible.ts';
import type { Visitor } from './harness/visitor.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type World } from './harness/world.ts';

const NEW_PASSWORD = 'another horse, another battery';
/** As authenticators show a code. */
const inGroups = (code: string): string => code.replace(/^.../, '$& ');

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the account', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  const signIn = async (visitor: Visitor, email: string, password: string): Promise<void> => {
    await visitor.page.goto('/sign-in');
    await visitor.page.getByLabel('Email address').fill(email);
    await visitor.page.getByLabel('Password').fill(password);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
  };

  /** Begins to set up a second factor. Returns the address for the authenticator. */
  const scan = async (page: Page): Promise<string> => {
    await page.goto('/account');
    await page.getByRole('button', { name: 'Set up an authenticator' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    return `otpauth://totp/x?secret=${await page.evaluate('navigator.clipboard.readText()')}`;
  };

  test('opens at the place that its URL names, and after a reload at the place where it was', async () => {
    const { page } = await world.signedIn(await world.person('Eva'));
    await page.setViewportSize({ width: 1280, height: 400 });
    const scrolled = () => page.evaluate(() => scrollY);
    await page.goto('/account#time-zone');
    await expect.poll(scrolled).toBeGreaterThan(0);
    await page.evaluate(() => scrollTo(0, 350));
    await page.reload();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await expect.poll(scrolled).toBe(350);
  });

  test('changes the password, and signs out everywhere else', async () => {
    const ada = await world.person('Ada');
    const [here, there] = [await world.signedIn(ada), await world.signedIn(ada)];
    const { page } = here;
    await page.goto('/account');
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('The password is wrong.').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe(NEW_PASSWORD);
    here.expectNoProblems(/status of 400/);

    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('you are signed out everywhere else', { exact: false }).first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    here.expectNoProblems();
    await there.page.reload();
    await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(there, ada.email, NEW_PASSWORD);
    await there.page.waitForURL(/\/w\//);
  });

  test('changes the own name, and with the password the email address', async () => {
    const gus = await world.person('Gus');
    const { page, expectNoProblems } = await world.signedIn(gus);
    await page.goto('/account');
    const profile = page.getByRole('region', { name: 'Profile' });
    await profile.getByLabel('Name').fill('Gustav');
    await profile.getByLabel('Email address').fill('gustav@example.com');
    await profile.getByLabel('Your password').fill('not the password');
    await page.keyboard.press('Enter');
    await profile.getByRole('alert').getByText('The password is wrong.').waitFor();
    await expectAccessibleInBothThemes(page);
    expectNoProblems(/status of 400/);
    await profile.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Gustav · gustav@example.com').waitFor();
    await page.getByRole('button', { name: 'Account of Gustav' }).waitFor();
    expect(await profile.getByLabel('Your password').count()).toBe(0);
    expectNoProblems();
    await page.reload();
    await page.getByText('Gustav · gustav@example.com').waitFor();
  });

  test('lists its sessions and ends one of them', async () => {
    const bob = await world.person('Bob');
    const there = await world.signedIn(bob, { userAgent: 'Mozilla/5.0 (X11; Linux) Gecko/1 Firefox/150.0' });
    const here = await world.signedIn(bob);
    await here.page.goto('/account');
    const rows = here.page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await rows.nth(1).waitFor();
    expect(await rows.first().textContent()).toContain('This browser');
    const firefox = rows.filter({ hasText: 'Firefox on Linux' });
    // Hold the response, then lose it. The session disappears at once, and comes back with the reason.
    const { promise: held, resolve: lose } = Promise.withResolvers<void>();
    await here.page.route('**/auth/revoke-session', (route) => held.then(() => route.abort()));
    await firefox.getByRole('button', { name: 'Sign out' }).click();
    await firefox.waitFor({ state: 'detached' });
    lose();
    await firefox.waitFor();
    await here.page.unroute('**/auth/revoke-session');
    here.expectNoProblems(/ERR_FAILED/);
    await firefox.getByRole('button', { name: 'Sign out' }).press('Enter');
    await rows.nth(1).waitFor({ state: 'detached' });
    await here.page.locator('#main:focus').waitFor();
    await here.page.getByText('Session ended.').first().waitFor();
    here.expectNoProblems();
    await there.page.reload();
    await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('sets up a second factor, asks for it at sign-in, and accepts each backup code once', async () => {
    const cleo = await world.person('Cleo');
    const here = await world.signedIn(cleo);
    const { page } = here;
    const uri = await scan(page);
    await page.getByLabel('Code from the app').fill('000000');
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('alert').getByText('Codes change every 30 seconds').waitFor();
    here.expectNoProblems(/status of 400/);
    await page.getByLabel('Code from the app').fill(inGroups(totpCode(uri)));
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Copy codes' }).click();
    const codes: string = await page.evaluate('navigator.clipboard.readText()');
    const [code = ''] = codes.split('\n');
    expect(codes.split('\n')).toHaveLength(10);
    expect(codes, 'no characters that look alike on paper').toMatch(
      /^(?:[a-hjkmnp-z2-9]{5}-[a-hjkmnp-z2-9]{5}\n?)+$/,
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(`${codes}\n`);
    await page.getByRole('button', { name: "Done, I've saved them" }).click();
    await page.getByText('On', { exact: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    expect(await page.content()).not.toContain(code);
    here.expectNoProblems();

    const there = await world.visitor();
    await signIn(there, cleo.email, PASSWORD);
    await there.page.getByLabel('Code from your authenticator').waitFor();
    await expectAccessibleInBothThemes(there.page);
    await there.page.getByLabel('Code from your authenticator').fill(inGroups(totpCode(uri, 1)));
    await there.page.getByRole('button', { name: 'Sign in' }).click();
    await there.page.waitForURL(/\/w\//);
    there.expectNoProblems();

    const lost = await world.visitor();
    await signIn(lost, cleo.email, PASSWORD);
    await lost.page.getByRole('button', { name: 'Use a backup code' }).click();
    await lost.page.getByLabel('Backup code').fill(code);
    await lost.page.getByRole('button', { name: 'Sign in' }).click();
    await lost.page.waitForURL(/\/w\//);

    const again = await world.visitor();
    await signIn(again, cleo.email, PASSWORD);
    await again.page.getByRole('button', { name: 'Use a backup code' }).click();
    await again.page.getByLabel('Backup code').fill(code);
    await again.page.getByRole('button', { name: 'Sign in' }).click();
    await again.page.getByRole('alert').getByText('not an unused backup code').waitFor();
  });

  test('creates new backup codes and switches off the second factor, with the password', async () => {
    const dora = await world.person('Dora');
    const here = await world.signedIn(dora);
    const { page } = here;
    await page.getByLabel('Code from the app').fill(totpCode(await scan(page)));
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: "Done, I've saved them" }).click();

    await page.getByRole('button', { name: 'New backup codes' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create new codes' }).click();
    await page.getByRole('dialog').getByRole('listitem').nth(9).waitFor();
    await page.getByRole('button', { name: "Done, I've saved them" }).click();

    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    here.expectNoProblems();
    const there = await world.visitor();
    await signIn(there, dora.email, PASSWORD);
    await there.page.waitForURL(/\/w\//);
  });

  test('does not close while backup codes are created, because they are shown only once', async () => {
    const { page, expectNoProblems } = await world.signedIn(await world.person('Ines'));
    const dialog = page.getByRole('dialog');
    const keepsOpen = async (path: string, button: string): Promise<void> => {
      const [answered, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route(path, async (route) => {
        const response = await route.fetch();
        answered.resolve();
        await shown.promise;
        await route.fulfill({ response });
      });
      await dialog.getByRole('button', { name: button }).click();
      await answered.promise;
      expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      // The button is not enabled, so Playwright would wait.
      await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true });
      shown.resolve();
      await dialog.getByRole('listitem').nth(9).waitFor();
      await dialog.getByRole('button', { name: "Done, I've saved them" }).click();
    };
    await page.getByLabel('Code from the app').fill(totpCode(await scan(page)));
    await keepsOpen('**/auth/two-factor/verify-totp', 'Switch on');
    await page.getByRole('button', { name: 'New backup codes' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await keepsOpen('**/auth/two-factor/generate-backup-codes', 'Create new codes');
    expectNoProblems();
  });
});
