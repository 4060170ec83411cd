import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from './harness/accessible.ts';
import type { Visitor } from './harness/visitor.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type Person, type World } from './harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('people of a workspace', () => {
  let world: World;
  let ada: Person;
  let owner: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada', 'Northwind');
    owner = await world.signedIn(ada);
  });

  const invite = async (email: string, role: string): Promise<string> => {
    const { page } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption(role);
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link: string = await page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('listitem').filter({ hasText: email }).getByText(`as ${role}`).waitFor();
    return link;
  };

  test('are invited by a link, and join with a name and a password', async () => {
    const link = await invite('grace@example.com', 'viewer');
    const grace = await world.visitor();
    await grace.page.goto(link);
    await grace.page.getByRole('heading', { name: 'Join Northwind' }).waitFor();
    expect(grace.page.url()).toBe(`${world.url}/invitation`);
    await grace.page.getByText('grace@example.com is invited as viewer.').waitFor();
    await expectAccessibleInBothThemes(grace.page);
    await grace.page.getByLabel('Your name').fill('Grace');
    await grace.page.getByLabel('Password').fill(PASSWORD);
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.waitForURL(new RegExp(`/w/${ada.workspaceId}$`));
    grace.expectNoProblems();

    const again = await world.visitor();
    await again.page.goto(link);
    await again.page.getByText('was accepted or withdrawn, or it has expired').waitFor();
    again.expectNoProblems(/status of 400/);
  });

  test('with an account sign in to join', async () => {
    await world.person('Linus');
    const link = await invite('linus@example.com', 'admin');
    const { page, expectNoProblems } = await world.visitor();
    await page.goto(link);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in and join' }).click();
    await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor();
    expectNoProblems();
  });

  test('cannot join with the link of a withdrawn invitation', async () => {
    const link = await invite('mallory@example.com', 'admin');
    const row = owner.page.getByRole('listitem').filter({ hasText: 'mallory@example.com' });
    const pending = owner.page.getByRole('region', { name: 'Pending invitations' });
    const others = (await pending.getByRole('listitem').count()) - 1;
    await row.getByRole('button', { name: 'Withdraw' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    // The focus goes to the next invitation, or to the page if there is none.
    await (others > 0 ? pending.locator('button:focus') : owner.page.locator('#main:focus')).waitFor();
    const { page } = await world.visitor();
    await page.goto(link);
    await page.getByText('was accepted or withdrawn, or it has expired').waitFor();
  });

  test('get a new role at once, and see nothing of the workspace after they are removed', async () => {
    const bob = await world.person('Bob', 'Own');
    await world.join(ada.workspaceId, bob, 'viewer');
    const theirs = await world.signedIn(bob);
    await theirs.page.goto(`/w/${ada.workspaceId}/keys`);
    await theirs.page.getByRole('heading', { name: 'API keys' }).waitFor();

    await owner.page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await owner.page.getByLabel('Role of Bob').focus();
    await owner.page.getByLabel('Role of Bob').selectOption('admin');
    await owner.page.getByText('Bob is now admin.', { exact: true }).waitFor();
    await owner.page.locator('select:focus').waitFor();
    await theirs.page.reload();
    await theirs.page.getByRole('button', { name: 'Create key' }).first().click();
    await theirs.page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
    theirs.expectNoProblems();

    const row = owner.page.getByRole('listitem').filter({ hasText: 'bob@example.com' });
    await row.getByRole('button', { name: 'Remove' }).click();
    await owner.page.getByRole('alertdialog').getByText('keep working').waitFor();
    await owner.page.getByRole('button', { name: 'Remove member' }).click();
    // The open dialog hides the row.
    await owner.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    // Without a reload: the next request of the page finds out.
    await theirs.page.keyboard.press('Escape');
    await theirs.page.getByRole('link', { name: 'Audit log' }).click();
    await theirs.page.getByRole('heading', { name: 'You no longer have access to Northwind' }).waitFor();
    await expectAccessibleInBothThemes(theirs.page);
    theirs.expectNoProblems(/status of 404|There is no such workspace/);
    await theirs.page.reload();
    await theirs.page.getByText('Page not found').waitFor();
    await theirs.page.getByRole('link', { name: 'Go to home' }).click();
    await theirs.page.getByRole('button', { name: 'Workspace Own' }).waitFor();
    owner.expectNoProblems();
  });

  test('are asked before they change their own role, or make somebody an owner', async () => {
    const { page, expectNoProblems } = owner;
    const eve = await world.person('Eve', 'Other');
    await world.join(ada.workspaceId, eve, 'admin');
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    const own = page.getByLabel('Role of Ada');
    const theirs = page.getByLabel('Role of Eve');
    const question = (name: string) => page.getByRole('alertdialog', { name });
    await theirs.selectOption('owner');
    await question('Make Eve an owner?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => theirs.inputValue()).toBe('admin');
    await theirs.selectOption('owner');
    await page.getByRole('button', { name: 'Make owner' }).click();
    await page.getByText('Eve is now owner.', { exact: true }).waitFor();
    await own.selectOption('admin');
    await question('Change your own role to admin?').getByText('Only another owner can').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => own.inputValue()).toBe('owner');
    await own.selectOption('admin');
    await page.getByRole('button', { name: 'Change my role' }).click();
    await page.getByText('Ada is now admin.', { exact: true }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'eve@' })
      .getByText('owner', { exact: true })
      .waitFor();
    expectNoProblems();
    await world.pool.query(`update members set role = 'owner' where workspace_id = $1 and user_id = $2`, [
      ada.workspaceId,
      ada.userId,
    ]);
    await world.pool.query('delete from members where workspace_id = $1 and user_id = $2', [
      ada.workspaceId,
      eve.userId,
    ]);
  });

  test('cannot leave a workspace without an owner', async () => {
    const { page, expectNoProblems } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Leave workspace' }).click();
    await page.getByRole('alertdialog').getByRole('alert').getByText('last owner').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expectNoProblems(/status of 409/);
  });
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a viewer', () => {
  let world: World;
  let ada: Person;
  let vera: Person;
  let viewer: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    vera = await world.person('Vera');
    await world.pool.query('delete from members where user_id = $1', [vera.userId]);
    await world.join(ada.workspaceId, vera, 'viewer');
    viewer = await world.signedIn(vera);
  });

  test.each([
    ['keys', 'Create key', 'Only owners and admins can manage keys.'],
    ['settings', 'Rename', 'Only owners and admins can rename a workspace.'],
    ['settings?tab=limits', 'Save', 'Only owners can set limits.'],
    ['settings?tab=members', 'Invite', 'Only owners and admins can invite people.'],
  ])('sees the page %s, cannot use "%s" and learns why', async (path, name, reason) => {
    const { page, expectNoProblems } = viewer;
    await page.goto(`/w/${ada.workspaceId}/${path}`);
    const button = page.getByRole('button', { name, exact: true }).first();
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.focus();
    await page.getByRole('tooltip', { name: reason }).waitFor();
    expectNoProblems();
  });

  test('cannot create a key by the URL or the endpoint either', async () => {
    const { page, context, expectNoProblems } = viewer;
    await page.goto(`/w/${ada.workspaceId}/keys?create=true`);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expectNoProblems();
    const answer = await context.request.post(`/dashboard/api/workspaces/${ada.workspaceId}/keys`, {
      headers: { 'idempotency-key': 'by-hand' },
      data: { name: 'Mine', mode: 'live', access: 'write', companyId: null },
    });
    expect([answer.status(), await answer.json()]).toEqual([
      403,
      { error: { code: 'insufficient_scope', message: expect.any(String) } },
    ]);
  });

  test('whose role was better until now sees the page of the present role after a refusal', async () => {
    const { page, expectNoProblems } = viewer;
    const setRole = (role: string) =>
      world.pool.query('update members set role = $2 where workspace_id = $1 and user_id = $3', [
        ada.workspaceId,
        role,
        vera.userId,
      ]);
    await setRole('admin');
    await page.goto(`/w/${ada.workspaceId}/keys`);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Mine');
    await setRole('viewer');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Your role in this workspace is now viewer.', { exact: true }).waitFor();
    const button = page.locator('button[aria-disabled="true"]', { hasText: 'Create key' }).first();
    await button.waitFor();
    expectNoProblems(/status of 403/);
  });

  test('can leave, and is told that no workspace is left', async () => {
    const { page } = viewer;
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Leave workspace' }).click();
    await page.getByText('You are not a member of any workspace').waitFor();
  });
});
