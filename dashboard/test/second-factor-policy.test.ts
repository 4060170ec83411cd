import { totpCode } from '@svc/service/harness/totp.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from './harness/accessible.ts';
import { failToReadAgain, readAgain } from './harness/background-read.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type World } from './harness/world.ts';

const done = (page: Page) => page.getByRole('button', { name: "Done, I've saved them" });

/** Sets up an authenticator on the page that is shown, by keyboard, until it shows the backup codes. */
async function openBackupCodes(page: Page): Promise<void> {
  // Until the page knows the session, the button is busy and ignores keys.
  await page.getByText('Off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Set up an authenticator' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy the key' }).click();
  const secret: string = await page.evaluate('navigator.clipboard.readText()');
  await page.getByLabel('Code from the app').fill(totpCode(`otpauth://totp/x?secret=${secret}`));
  await page.keyboard.press('Enter');
  await done(page).waitFor();
}

async function setUpAuthenticator(page: Page): Promise<void> {
  await openBackupCodes(page);
  await done(page).click();
}

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a second factor that the workspace requires', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test('is required by an owner who has one, and leads members to set it up before they see anything', async () => {
    const ada = await world.person('Ada', 'Northwind');
    const bob = await world.person('Bob', 'Own');
    await world.join(ada.workspaceId, bob, 'viewer');
    const owner = await world.signedIn(ada);
    const member = await world.signedIn(bob);
    await member.page.goto(`/w/${ada.workspaceId}/keys`);
    await member.page.getByRole('heading', { name: 'API keys' }).waitFor();

    const { page } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    const row = (email: string) => page.getByRole('listitem').filter({ hasText: email });
    await row(bob.email).getByText('No second factor').waitFor();
    await row(bob.email).getByText('Last sign-in').waitFor();
    const button = page.getByRole('button', { name: 'Require a second factor' });
    await button.focus();
    await page.getByRole('tooltip', { name: 'for your own account first' }).waitFor();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await setUpAuthenticator(page);
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await row(ada.email).getByText('Second factor', { exact: true }).waitFor();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText('One member has none').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Require it' }).click();
    await page.getByText('Required', { exact: true }).waitFor();
    await expectAccessibleInBothThemes(page);
    owner.expectNoProblems();

    // The page of the member finds out with its next request.
    await member.page.getByRole('link', { name: 'Audit log' }).click();
    const heading = member.page.getByRole('heading', { name: 'Northwind requires a second factor' });
    await heading.waitFor();
    await member.page.reload();
    await heading.waitFor();
    await expectAccessibleInBothThemes(member.page);
    expect(await member.page.getByText('API keys', { exact: true }).count()).toBe(0);
    await setUpAuthenticator(member.page);
    await member.page.getByRole('heading', { name: 'Audit log' }).waitFor();
    member.expectNoProblems(/status of 403|This workspace requires a second factor/);
  });

  test('shows the backup codes until the member has saved them, also after a look at another tab', async () => {
    const gina = await world.person('Gina', 'Northwind');
    const { page, expectNoProblems } = await world.signedIn(gina);
    await world.pool.query('update workspaces set second_factor_required = true where id = $1', [
      gina.workspaceId,
    ]);
    await page.clock.install();
    await page.goto(`/w/${gina.workspaceId}/keys`);
    await openBackupCodes(page);
    const codes = await page.getByRole('dialog').getByRole('listitem').allTextContents();
    // The second time, the first has had its effect.
    for (const _ of [1, 2]) {
      const read = page.waitForResponse('**/auth/get-session');
      await readAgain(page);
      await read;
      await page.getByText('On', { exact: true }).waitFor({ state: 'attached' });
    }
    expect(await page.getByRole('dialog').getByRole('listitem').allTextContents()).toEqual(codes);
    await done(page).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expectNoProblems(/status of 403|This workspace requires a second factor/);
  });

  test('is set up on the account page, and its backup codes stay there if a read in the background fails', async () => {
    const { page } = await world.signedIn(await world.person('Hal'));
    await page.clock.install();
    await page.goto('/account');
    await openBackupCodes(page);
    await failToReadAgain(page, '/auth/get-session');
    await page.getByRole('button', { name: 'Copy codes' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toHaveLength(10 * 12 - 1);
    await done(page).click();
    await page.getByText('On', { exact: true }).waitFor();
  });

  test('becomes optional again without a reload of the page', async () => {
    const ivy = await world.person('Ivy', 'Northwind');
    const { page, expectNoProblems } = await world.signedIn(ivy);
    await page.goto('/account');
    await setUpAuthenticator(page);
    await page.goto(`/w/${ivy.workspaceId}/settings?tab=members`);
    await page.getByRole('button', { name: 'Require a second factor' }).click();
    await page.getByRole('button', { name: 'Require it' }).click();
    await page.getByText('Required', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make it optional' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make it optional' }).click();
    await page.getByText('Optional', { exact: true }).waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expectNoProblems();
  });

  test('lets a member leave the workspace, by keyboard', async () => {
    const eve = await world.person('Eve', 'Northwind');
    const finn = await world.person('Finn', 'Own');
    await world.join(eve.workspaceId, finn, 'viewer');
    await world.pool.query('update workspaces set second_factor_required = true where id = $1', [
      eve.workspaceId,
    ]);
    const { page, expectNoProblems } = await world.signedIn(finn);
    await page.goto(`/w/${eve.workspaceId}/keys`);
    await page.getByRole('heading', { name: 'Northwind requires a second factor' }).waitFor();
    await page.getByRole('button', { name: 'Leave workspace' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Leave Northwind?' });
    await dialog.waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Leave workspace' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('You have left Northwind.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Workspace Own' }).waitFor();
    expectNoProblems(/status of 403|This workspace requires a second factor/);
  });

  test('is not shown to viewers, and not changed by admins', async () => {
    const cleo = await world.person('Cleo', 'Northwind');
    const vera = await world.person('Vera', 'Own');
    await world.join(cleo.workspaceId, vera, 'viewer');
    const { page, expectNoProblems } = await world.signedIn(vera);
    await page.goto(`/w/${cleo.workspaceId}/settings?tab=members`);
    await page.getByRole('listitem').filter({ hasText: cleo.email }).waitFor();
    expect(await page.getByText('No second factor').count()).toBe(0);
    expect(await page.getByText('Last sign-in').count()).toBe(0);
    const button = page.getByRole('button', { name: 'Require a second factor' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expectNoProblems();
  });
});
