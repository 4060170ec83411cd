import { expect } from 'vitest';
import { ACCOUNT_POPUPS } from './account-popups.ts';
import { KEY_POPUPS } from './key-popups.ts';
import { choose, focused, goTo, press } from './keyboard.ts';
import { type PopupCase, type } from './popup-case.ts';
import { RECORD_POPUPS } from './record-popups.ts';
import { WEBHOOK_POPUPS } from './webhook-popups.ts';

/** Every popup. The order matters: some cases use what an earlier case has created. */
export const POPUPS: Readonly<Record<string, PopupCase>> = {
  ...KEY_POPUPS,
  'Filter by a company': {
    files: ['pages/data/company-filter.tsx'],
    page: '/data/audits',
    trigger: 'All companies',
    role: 'dialog',
    use: async (page) => {
      // Enter right after the text chooses from the results for that text.
      await type(page, 'bor');
      await page.keyboard.press('Enter');
      await page.waitForURL(/companyId=com_b/);
      await expect.poll(() => focused(page)).toBe('Borealis');
      await page.keyboard.press('Enter');
      await page.getByRole('option', { name: /Acme/ }).waitFor();
      await page.getByRole('option', { name: /Borealis/, selected: false }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('option', { name: /Borealis/, selected: true }).waitFor();
      await page.keyboard.press('ArrowUp');
      await page.getByRole('option', { name: /Acme/, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/companyId=com_a/);
      await press(page, 'Show all companies');
      await page.waitForURL((url) => !url.search.includes('companyId'));
    },
  },
  'Choose columns': {
    files: ['pages/data/list/column-menu.tsx'],
    page: '/data/content',
    trigger: 'Columns',
    role: 'menu',
    use: async (page) => {
      const head = page.getByRole('columnheader', { name: 'URL' });
      expect(await head.count()).toBe(0);
      await choose(page, 'URL');
      await head.waitFor();
      await page.keyboard.press('Escape');
      await page.reload();
      await head.waitFor();
      await press(page, 'Columns');
      await choose(page, 'Default columns');
      await head.waitFor({ state: 'detached' });
    },
  },
  ...RECORD_POPUPS,
  'Import a file': {
    files: ['pages/data/import/import-dialog.tsx'],
    page: '/data/companies',
    trigger: 'Import',
    role: 'dialog',
    use: async (page) => {
      const chooser = page.waitForEvent('filechooser');
      await press(page, /^Drop a CSV/);
      const buffer = Buffer.from('name\nTyped\n');
      await (await chooser).setFiles({ name: 'companies.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('cell', { name: 'Typed' }).waitFor();
      await press(page, 'Import');
      await page.getByText('1 company imported').waitFor();
      await press(page, 'Done');
    },
  },
  'An entry of the log': {
    files: ['pages/log/log-entry.tsx'],
    page: '/log',
    trigger: /Open the entry/,
    role: 'dialog',
    use: async (page) => {
      await press(page, 'Close');
    },
  },
  'Export the log': {
    files: ['list/export-dialog.tsx'],
    page: '/log',
    trigger: 'Export',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, /^CSV/);
      await page.keyboard.press('ArrowRight');
      const download = page.waitForEvent('download');
      await press(page, 'Export');
      await (await download).cancel();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  'Invite a member': {
    files: [
      'pages/settings/invite-dialog.tsx',
      'pages/settings/invitation-link.tsx',
      'pages/settings/one-time-link.tsx',
    ],
    page: '/settings?tab=members',
    trigger: 'Invite',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Email address');
      await type(page, 'grace@example.com');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Invitation for grace@example.com' }).waitFor();
      await press(page, 'Done');
      await page.getByText('as viewer · expires').waitFor();
    },
  },
  'Reset a password': {
    files: ['pages/settings/reset-password.tsx', 'pages/settings/one-time-link.tsx'],
    page: '/settings?tab=members',
    trigger: 'Reset password of Vera',
    role: 'dialog',
    use: async (page) => {
      await press(page, 'Create reset link');
      await page.getByRole('heading', { name: 'Reset link for vera@example.com' }).waitFor();
      await press(page, 'Done');
    },
  },
  'Make a member an owner': {
    files: ['pages/settings/confirm-role.tsx'],
    page: '/settings?tab=members',
    trigger: 'Role of Vera',
    // Chooses "Owner" in the closed list.
    key: 'o',
    role: 'alertdialog',
    // The other cases need one owner.
    use: (page) => press(page, 'Cancel'),
  },
  'Remove a member': {
    files: ['pages/settings/remove-member.tsx'],
    page: '/settings?tab=members',
    trigger: 'Remove',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Remove member');
      await page.getByRole('listitem').filter({ hasText: 'bob@' }).waitFor({ state: 'detached' });
    },
  },
  'Leave the workspace': {
    files: ['pages/settings/leave-workspace.tsx'],
    page: '/settings?tab=members',
    trigger: 'Leave',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Leave workspace');
      await page.getByRole('alertdialog').getByRole('alert').getByText('last owner').waitFor();
      await press(page, 'Cancel');
    },
  },
  'Delete the workspace': {
    files: ['pages/settings/delete-workspace.tsx'],
    page: '/settings',
    trigger: 'Delete workspace',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Type “Northwind” to confirm');
      await type(page, 'Northwind');
      // The other cases need the workspace.
      await press(page, 'Cancel');
    },
  },
  'New workspace': {
    files: ['layout/workspace-menu.tsx', 'layout/new-workspace.tsx'],
    page: '/keys',
    trigger: /Workspace.*Northwind/,
    item: 'New workspace',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Name');
      await type(page, 'Typed');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Workspace Typed' }).waitFor();
    },
  },
  'The menu of the person': {
    files: ['layout/user-menu-items.tsx'],
    page: '/keys',
    trigger: /Account of/,
    role: 'menu',
    use: async (page) => {
      await choose(page, 'Dark');
      await expect
        .poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme))
        .toBe('dark');
    },
  },
  'The drawer of a phone': {
    files: ['layout/drawer.tsx'],
    page: '/keys',
    trigger: 'Open menu',
    role: 'dialog',
    width: 360,
    use: async (page) => {
      await press(page, 'Audit log');
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    },
  },
  'Go to a page': {
    files: ['layout/palette/command-palette.tsx'],
    page: '/keys',
    trigger: /^Go to…/,
    role: 'dialog',
    use: async (page) => {
      await type(page, 'companies');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Companies' }).waitFor();
    },
  },
  'Discard changes': {
    files: ['ui/popup/discard-changes.tsx'],
    page: '/settings?tab=limits',
    before: async (page) => {
      await goTo(page, 'Live requests per month');
      await type(page, '5000');
    },
    trigger: 'Audit log',
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Discard');
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    },
  },
  'Leave a page that shows a token': {
    files: ['ui/popup/leave-question.tsx'],
    page: '/log',
    before: async (page) => {
      await press(page, 'API keys');
      await page.getByRole('heading', { name: 'API keys' }).waitFor();
      await press(page, 'Create key');
      await page.getByRole('dialog').waitFor();
      await goTo(page, 'Name');
      await type(page, 'Left');
      await page.keyboard.press('Enter');
      await page.locator('[data-token]').waitFor();
    },
    trigger: "Done, I've saved it",
    opens: (page) => page.goBack(),
    role: 'alertdialog',
    use: async (page) => {
      await press(page, 'Leave');
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    },
  },
  ...WEBHOOK_POPUPS,
  ...ACCOUNT_POPUPS,
};
