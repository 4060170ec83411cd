import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from './harness/accessible.ts';
import { BROWSER_PATH, createWorld, type World } from './harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('deleting a workspace', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test('takes its typed name and the keyboard, and an owner restores it from the list of workspaces', async () => {
    const ada = await world.person('Ada', 'Northwind');
    const bob = await world.person('Bob', 'Own');
    await world.join(ada.workspaceId, bob, 'viewer');
    const owner = await world.signedIn(ada);
    const viewer = await world.signedIn(bob);
    await viewer.page.goto(`/w/${ada.workspaceId}/keys`);
    await viewer.page.getByRole('heading', { name: 'API keys' }).waitFor();

    const { page } = owner;
    await page.goto(`/w/${ada.workspaceId}/settings`);
    await page.getByRole('button', { name: 'Delete workspace' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete Northwind?' });
    await dialog.waitFor();
    const submit = dialog.getByRole('button', { name: 'Delete workspace' });
    await page.keyboard.type('northwind');
    expect(await submit.getAttribute('aria-disabled')).toBe('true');
    await expectAccessibleInBothThemes(page);
    await page.getByLabel('to confirm').fill('Northwind');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    owner.expectNoProblems();

    // The page of a member finds out with its next request.
    await viewer.page.getByRole('link', { name: 'Audit log' }).click();
    await viewer.page.getByRole('heading', { name: 'Northwind was deleted' }).waitFor();
    const blocked = viewer.page.getByRole('button', { name: 'Restore workspace' });
    expect(await blocked.getAttribute('aria-disabled')).toBe('true');
    await expectAccessibleInBothThemes(viewer.page);
    viewer.expectNoProblems(/status of 404|There is no such workspace/);

    await page.getByRole('button', { name: /^Workspace/ }).click();
    const item = page.getByRole('menuitem', { name: /^Northwind: deleted, will be removed on/ });
    await item.waitFor();
    await expectAccessibleInBothThemes(page);
    await item.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Northwind was deleted' }).waitFor();
    await page.getByRole('button', { name: 'Restore workspace' }).click();
    await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor();
    await viewer.page.reload();
    await viewer.page.getByRole('heading', { name: 'Audit log' }).waitFor();
    owner.expectNoProblems(/status of 404|There is no such workspace/);
  });

  test.for([360, 1280])('breaks a long name without spaces in its dialog, %i pixels wide', async (width) => {
    const name = 'N'.repeat(80);
    const { page } = await world.signedIn(await world.person('Kim', name));
    await page.setViewportSize({ width, height: 900 });
    await page.goto(page.url().replace(/(\/w\/[^/?#]+).*/, '$1/settings'));
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByLabel('to confirm').waitFor();
    const cutOff = await page
      .locator('h2, label')
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
    expect(cutOff).toEqual([]);
  });

  test('takes a name with several spaces as the page shows it', async () => {
    const { page } = await world.signedIn(await world.person('Eve', 'North  wind'));
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByLabel('Type “North wind” to confirm').fill('North wind');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  });
});
