import { beforeAll, describe, expect, test } from 'vitest';
import { focused, goTo } from './harness/keyboard.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type World } from './harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('with only the keyboard', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.person('Ada');
  });

  test('a person signs in, opens the keys with Ctrl-K, creates a key and signs out', async () => {
    const { page, expectNoProblems } = await world.visitor();
    await page.goto('/sign-in');
    await page.getByLabel('Email address').waitFor();
    await expect
      .poll(() => focused(page), { message: 'the first field has the focus' })
      .toBe('Email address');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/w\//);
    await page.getByRole('button', { name: 'Account of Ada' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages, actions and data').waitFor();
    await page.keyboard.type('api k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    await goTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('radio', { name: /^Test/ }).isChecked()).toBe(true);
    await goTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.locator('[data-token]').waitFor();
    await goTo(page, "Done, I've saved it");
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /By keyboard.*Test/ }).waitFor();

    await goTo(page, 'Actions for By keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('Revoke…');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    expect(await focused(page), 'Cancel has the focus at first').toBe('Cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    // The focus returns.
    await expect.poll(() => focused(page)).toBe('Actions for By keyboard');

    await goTo(page, /Account of/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Documentation' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Documentation');
    const opened = page.context().waitForEvent('page');
    await page.keyboard.press('Enter');
    const documentation = await opened;
    await documentation.waitForURL(`${world.url}/docs`);
    await documentation.close();
    await expect.poll(() => focused(page)).toMatch(/Account of/);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('Sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectNoProblems();
  });

  test('a person skips to the content and sees the focus', async () => {
    const bob = await world.person('Bob');
    const { page } = await world.signedIn(bob);
    await page.goto(`/w/${bob.workspaceId}/keys`);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Create key');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });
});
