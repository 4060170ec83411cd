import type { Page } from 'playwright-core';
import { choose, goTo, press } from './keyboard.ts';
import { type PopupCase, type } from './popup-case.ts';

const select = async (page: Page, name: string): Promise<void> => {
  await goTo(page, `Select ${name}`);
  await page.keyboard.press('Space');
  await page.getByRole('region', { name: 'Selection' }).waitFor();
};

/** The dialogs that write records. */
export const RECORD_POPUPS: Readonly<Record<string, PopupCase>> = {
  'Edit a record': {
    files: ['pages/data/forms/edit-record.tsx'],
    page: '/data/content/con_a',
    trigger: 'Edit',
    role: 'dialog',
    use: async (page) => {
      await goTo(page, 'Title');
      await page.keyboard.press('Control+a');
      await type(page, 'Typed words');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Typed words' }).waitFor();
    },
  },
  'Export a list': {
    files: ['list/export-dialog.tsx'],
    page: '/data/companies',
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
  'Change the status of selected records': {
    files: ['pages/data/bulk/bulk-bar.tsx'],
    page: '/data/content',
    before: (page) => select(page, 'Typed words'),
    trigger: 'Change status',
    role: 'menu',
    use: async (page) => {
      await choose(page, /^In review/);
      await page.getByRole('dialog').waitFor();
      await press(page, 'Change 1 content item');
      await page.getByText('1 content item changed to In review').first().waitFor();
      await page.getByRole('cell', { name: 'In review' }).waitFor();
    },
  },
  'Delete selected records': {
    files: ['pages/data/bulk/bulk-dialog.tsx'],
    page: '/data/companies',
    before: (page) => select(page, 'Acme'),
    trigger: 'Delete selected',
    role: 'dialog',
    use: async (page) => {
      await press(page, 'Delete 1 company');
      await page.getByText('1 company not written').waitFor();
      await page.getByRole('cell', { name: /still has records/ }).waitFor();
      await press(page, 'Done');
      await press(page, 'Clear selection');
    },
  },
  'Create a record': {
    files: ['pages/data/forms/create-record.tsx'],
    page: '/data/mentions',
    trigger: 'Create mention',
    role: 'dialog',
    use: async (page) => {
      // The search for the company has the focus.
      await type(page, 'bor');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText('Borealis').waitFor();
      for (const [label, text] of [
        ['Source', 'news.example.com'],
        ['URL', 'https://news.example.com/1'],
        ['Title', 'Typed mention'],
      ] as const) {
        await goTo(page, label);
        await type(page, text);
      }
      await goTo(page, /^Choose…/);
      await type(page, 'Neg');
      await goTo(page, 'Published');
      // Each part of the date goes on to the next one.
      await type(page, '030120260930AM');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Typed mention' }).waitFor();
      await page.getByText('Negative').waitFor();
      await press(page, 'Delete');
      await page.getByRole('alertdialog').waitFor();
      await press(page, 'Delete mention');
      await page.getByText('No mentions yet').waitFor();
    },
  },
  'Delete a record': {
    files: ['pages/data/forms/delete-record.tsx'],
    page: '/data/content/con_a',
    trigger: 'Delete',
    role: 'alertdialog',
    // `Create a record` also deletes what it has created.
    use: (page) => press(page, 'Cancel'),
  },
};
