import { totpCode } from '@svc/service/harness/totp.ts';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { focused, press } from './keyboard.ts';
import { type PopupCase, type } from './popup-case.ts';
import { PASSWORD } from './world.ts';

const hasFocus = (page: Page, name: string): Promise<void> => expect.poll(() => focused(page)).toBe(name);

const enterPassword = async (page: Page, action: string): Promise<void> => {
  await hasFocus(page, 'Your password');
  await type(page, PASSWORD);
  await press(page, action);
};
const saveCodes = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { name: 'Save your backup codes' }).waitFor();
  await press(page, "Done, I've saved them");
};

/** The popups of the account page. */
export const ACCOUNT_POPUPS: Readonly<Record<string, PopupCase>> = {
  'Connect a provider': {
    files: ['pages/account/provider-section.tsx'],
    page: '/account',
    trigger: 'Connect Example ID',
    role: 'dialog',
    use: async (page) => {
      await enterPassword(page, 'Continue');
      await page.getByLabel('Subject').focus();
      await type(page, 'ada');
      await page.keyboard.press('Enter');
      await page.getByText('with your password or with Example ID').waitFor();
    },
  },
  'Disconnect a provider': {
    files: ['pages/account/provider-section.tsx'],
    page: '/account',
    trigger: 'Disconnect Example ID',
    role: 'dialog',
    use: async (page) => {
      await enterPassword(page, 'Disconnect');
      await page.getByText('You sign in with your password.').waitFor();
    },
  },
  'Switch the second factor on': {
    files: ['pages/account/enable-second-factor.tsx'],
    page: '/account',
    trigger: 'Set up an authenticator',
    role: 'dialog',
    use: async (page) => {
      await enterPassword(page, 'Continue');
      await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
      const secret = (await page.getByRole('dialog').locator('code').textContent())?.replaceAll(' ', '');
      await hasFocus(page, 'Code from the app');
      await type(page, totpCode(`otpauth://totp/x?secret=${secret}`));
      await page.keyboard.press('Enter');
      await saveCodes(page);
      await page.getByText('On', { exact: true }).waitFor();
    },
  },
  'New backup codes': {
    files: ['pages/account/new-backup-codes.tsx'],
    page: '/account',
    trigger: 'New backup codes',
    role: 'dialog',
    use: async (page) => {
      await enterPassword(page, 'Create new codes');
      await saveCodes(page);
    },
  },
  'Require a second factor': {
    files: ['pages/settings/second-factor-policy.tsx'],
    page: '/settings?tab=members',
    trigger: 'Require a second factor',
    role: 'alertdialog',
    // The next case switches the factor off.
    use: (page) => press(page, 'Cancel'),
  },
  'Switch the second factor off': {
    files: ['pages/account/disable-second-factor.tsx'],
    page: '/account',
    trigger: 'Switch off',
    role: 'dialog',
    use: async (page) => {
      await enterPassword(page, 'Switch off');
      await page.getByText('Off', { exact: true }).waitFor();
    },
  },
};
