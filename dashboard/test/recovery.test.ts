import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from './harness/accessible.ts';
import type { Visitor } from './harness/visitor.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from './harness/world.ts';

const NEW_PASSWORD = 'another horse battery staple';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a member who has lost the password', () => {
  let world: World;
  let ada: Person;
  let owner: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada', 'Northwind');
    owner = await world.signedIn(ada);
  });

  test('gets a one-time link from the owner, sets a new password with it, and signs in', async () => {
    const grace = await world.person('Grace');
    await world.join(ada.workspaceId, grace, 'viewer');
    await world.pool.query('delete from members where user_id = $1 and workspace_id = $2', [
      grace.userId,
      grace.workspaceId,
    ]);
    const lost = await world.signedIn(grace);
    const { page } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    const open = page.getByRole('button', { name: 'Reset password of Grace' });
    await open.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Reset the password of Grace?' });
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Create reset link' }).click();
    await page.getByRole('dialog', { name: 'Reset link for grace@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link: string = await page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Done' }).click();
    owner.expectNoProblems();

    const back = await world.visitor();
    await back.page.goto(link);
    await back.page.getByText('For grace@example.com.').waitFor();
    expect(back.page.url()).toBe(`${world.url}/password-reset`);
    await expectAccessibleInBothThemes(back.page);
    await back.page.getByLabel('New password').fill(NEW_PASSWORD);
    await back.page.keyboard.press('Enter');
    await back.page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await back.page.getByRole('link', { name: 'Sign in' }).click();
    await back.page.getByLabel('Email address').fill('grace@example.com');
    await back.page.getByLabel('Password').fill(NEW_PASSWORD);
    await back.page.getByRole('button', { name: 'Sign in' }).click();
    await back.page.getByRole('button', { name: 'Workspace Northwind' }).waitFor();
    back.expectNoProblems();

    await lost.page.goto(`/w/${ada.workspaceId}`);
    await lost.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const again = await world.visitor();
    await again.page.goto(link);
    await again.page.getByText('This link was already used or has expired.').waitFor();
    again.expectNoProblems(/status of 400/);
  });

  test('a member of a workspace with another owner is sent to the operator', async () => {
    const bob = await world.person('Bob', 'Own');
    await world.join(ada.workspaceId, bob, 'viewer');
    const { page } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await page.getByRole('button', { name: 'Reset password of Bob' }).click();
    await page.getByRole('button', { name: 'Create reset link' }).click();
    await page.getByRole('alert').getByText('svcd user reset-password').waitFor();
    owner.expectNoProblems(/status of 403/);
  });
});
