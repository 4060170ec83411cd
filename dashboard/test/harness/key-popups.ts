import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { focused, goTo, press } from './keyboard.ts';
import { type PopupCase, type } from './popup-case.ts';

const saveToken = async (page: Page): Promise<void> => {
  await page.locator('[data-token]').waitFor();
  await press(page, "Done, I've saved it");
};
/** The popups of the page of keys, in their order: some use what an earlier one has created. */
export const KEY_POPUPS: Readonly<Record<string, PopupCase>> = {
  'Create a key for one company': {
    files: ['pages/keys/create-key.tsx', 'pages/keys/token-dialog.tsx'],
    page: '/keys',
    trigger: 'Create key',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Name');
      await type(page, 'Partner');
      await goTo(page, /^All companies/);
      await page.keyboard.press('ArrowRight');
      await page.getByPlaceholder('Name, domain or id').waitFor();
      await type(page, 'bor');
      await page.keyboard.press('Enter');
      // The button that replaces the search has the focus.
      await expect.poll(() => focused(page)).toBe('Change');
      await press(page, 'Create key');
      await saveToken(page);
      await page.getByRole('row', { name: /Partner.*Borealis/ }).waitFor();
    },
  },
  'Edit a key': {
    files: ['pages/keys/edit-key.tsx', 'pages/keys/key/key-menu.tsx'],
    page: '/keys',
    trigger: 'Actions for Partner',
    item: 'Edit…',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Allowed networks (optional)');
      await type(page, '10.0.0.0/33');
      await press(page, 'Save');
      await page.getByText('"10.0.0.0/33" is neither').waitFor();
      await goTo(page, 'Allowed networks (optional)');
      await page.keyboard.press('Control+a');
      await type(page, '127.0.0.1, ::1');
      await goTo(page, 'Burst limit (optional)');
      await type(page, '20');
      await press(page, 'Save');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  'Pause a key': {
    files: ['pages/keys/pause-key.tsx'],
    page: '/keys',
    trigger: 'Actions for Partner',
    item: 'Pause…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Pause key');
      await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    },
  },
  'Resume a key': {
    files: ['pages/keys/pause-key.tsx'],
    page: '/keys?status=paused',
    trigger: 'Actions for Partner',
    item: 'Resume…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Resume key');
      await page.getByRole('heading', { name: 'No paused keys' }).waitFor();
    },
  },
  'Replace a key': {
    files: ['pages/keys/replace-key.tsx'],
    page: '/keys',
    trigger: 'Actions for Partner',
    item: 'Replace…',
    role: 'dialog',
    use: async (page) => {
      await page.getByText('It was last used: never').waitFor();
      await expect
        .poll(() => page.getByLabel('Allowed networks (optional)').inputValue())
        .toBe('127.0.0.1/32, ::1/128');
      await goTo(page, 'Name');
      await page.keyboard.press('Control+a');
      await type(page, 'Partner');
      await press(page, 'Create key');
      await saveToken(page);
      await page.getByRole('alertdialog').getByText('Never used').waitFor();
      await press(page, 'Revoke key');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.getByRole('row', { name: /Partner/ }).count()).toBe(1);
    },
  },
  'Rotate a key': {
    files: ['pages/keys/key/key-menu.tsx', 'pages/keys/rotate-key.tsx'],
    page: '/keys',
    trigger: 'Actions for Partner',
    item: 'Rotate…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Rotate key');
      await saveToken(page);
    },
  },
  'Revoke a key': {
    files: ['pages/keys/revoke-key.tsx'],
    page: '/keys',
    trigger: 'Actions for Partner',
    item: 'Revoke…',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Revoke key');
      await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    },
  },
};
