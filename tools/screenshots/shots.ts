import type { Page } from 'playwright-core';
import type { Demo } from './demo.ts';
import { openInvitation, openSecondStep, type Snap } from './newcomer.ts';

export interface Shot {
  readonly name: string;
  /** The path of the page. `:w` stands for the workspace id. */
  readonly path: string;
  /** Whether nobody is signed in. */
  readonly outside?: true;
  /** Actions on the page before the picture. */
  readonly act?: (page: Page, demo: Demo, snap: Snap) => Promise<unknown>;
  /** Whether to show the whole page after `act`. Without `act`, every picture shows the whole page. */
  readonly whole?: true;
}

const firstRecord = async (page: Page): Promise<void> => {
  await page.locator('tbody a').first().click();
  await page.getByRole('main').getByRole('link', { name: /^All / }).waitFor();
};

/** A file with two valid and two invalid rows. */
const AUDITS_FILE = {
  name: 'audits.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'id,companyId,headlineScore,completedAt',
      'aud_one,com_kestrel_logistics,71,2026-03-01T09:30:00Z',
      'aud_two,com_kestrel_logistics,172,2026-03-02T09:30:00Z',
      'aud_three,com_orrin_health,64,yesterday',
      'aud_four,com_orrin_health,66,2026-03-04T09:30:00Z',
    ].join('\n'),
  ),
};

const chooseFile = async (page: Page): Promise<void> => {
  await button(page, 'Import').click();
  await page.locator('input[type=file]').setInputFiles(AUDITS_FILE);
  await page.getByRole('dialog').getByText('aud_one').waitFor();
};

const selectAll = async (page: Page): Promise<void> => {
  await page.locator('tbody a').first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
};

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

const chooseForKey = async (page: Page, name: string): Promise<void> => {
  await button(page, /^Actions for/)
    .last()
    .click();
  await page.getByRole('menuitem', { name }).click();
};

/** Every page, and the dialogs and menus that open on it. */
export const SHOTS: readonly Shot[] = [
  { name: 'sign-in', path: '/sign-in', outside: true },
  {
    name: 'sign-in-wrong',
    path: '/sign-in',
    outside: true,
    act: async (page) => {
      await page.getByLabel('Email address').fill('ada@example.com');
      await page.getByLabel('Password').fill('not the password');
      await button(page, 'Sign in').click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'set-up', path: '/set-up#token=x', outside: true },
  { name: 'set-up-without-link', path: '/set-up', outside: true },
  { name: 'invitation-stale', path: '/invitation#token=x', outside: true },
  { name: 'invitation', path: '/sign-in', outside: true, act: openInvitation },
  { name: 'second-step', path: '/sign-in', outside: true, act: openSecondStep },
  { name: 'overview', path: '/w/:w' },
  {
    name: 'palette',
    path: '/w/:w',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'keys', path: '/w/:w/keys' },
  {
    name: 'one-key',
    path: '/w/:w/keys',
    whole: true,
    act: async (page) => {
      await page.locator('tbody a:visible').last().click();
      await page.getByRole('main').getByRole('link', { name: 'All API keys' }).waitFor();
    },
  },
  {
    name: 'keys-menu',
    path: '/w/:w/keys',
    act: (page) =>
      button(page, /^Actions for/)
        .first()
        .click(),
  },
  {
    name: 'keys-create',
    path: '/w/:w/keys',
    act: (page) => button(page, 'Create key').click(),
  },
  {
    name: 'keys-create-one-company',
    path: '/w/:w/keys?create=true',
    act: (page) => page.getByRole('radio', { name: /^One company/ }).click(),
  },
  {
    name: 'keys-token',
    path: '/w/:w/keys?create=true',
    act: async (page) => {
      await page.getByLabel('Name').fill('Nightly crawler');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.locator('[data-token]').waitFor();
    },
  },
  {
    name: 'keys-revoke',
    path: '/w/:w/keys',
    act: (page) => chooseForKey(page, 'Revoke…'),
  },
  {
    name: 'keys-rotate',
    path: '/w/:w/keys',
    act: (page) => chooseForKey(page, 'Rotate…'),
  },
  { name: 'keys-revoked', path: '/w/:w/keys?status=revoked' },
  { name: 'log', path: '/w/:w/log' },
  {
    name: 'log-entry',
    path: '/w/:w/log',
    act: async (page) => {
      await page
        .getByRole('button', { name: /Open the entry/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'log-nothing', path: '/w/:w/log?status=599' },
  { name: 'webhooks-nothing', path: '/w/:w/webhooks' },
  {
    name: 'webhooks-create',
    path: '/w/:w/webhooks?create=true',
    act: (page) => page.getByRole('radio', { name: /^Chosen events/ }).click(),
  },
  { name: 'audits', path: '/w/:w/data/audits' },
  { name: 'mentions', path: '/w/:w/data/mentions' },
  { name: 'content', path: '/w/:w/data/content' },
  { name: 'companies', path: '/w/:w/data/companies' },
  { name: 'content-selected', path: '/w/:w/data/content', act: selectAll },
  {
    name: 'content-delete-selected',
    path: '/w/:w/data/content',
    act: async (page) => {
      await selectAll(page);
      await button(page, 'Delete selected').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'audits-range', path: '/w/:w/data/audits?sort=score-ascending&headlineScoreMax=60' },
  { name: 'audit', path: '/w/:w/data/audits', act: firstRecord, whole: true },
  { name: 'company', path: '/w/:w/data/companies', act: firstRecord, whole: true },
  { name: 'content-item', path: '/w/:w/data/content', act: firstRecord, whole: true },
  {
    name: 'content-edit',
    path: '/w/:w/data/content',
    act: async (page) => {
      await firstRecord(page);
      await button(page, 'Edit').click();
    },
  },
  { name: 'import', path: '/w/:w/data/audits', act: chooseFile },
  {
    name: 'import-done',
    path: '/w/:w/data/audits',
    act: async (page) => {
      await chooseFile(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Import/ })
        .click();
      await page
        .getByText(/refused/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'explorer-answer',
    path: '/w/:w/explorer',
    whole: true,
    act: async (page) => {
      await button(page, 'Send request').click();
      await page.getByText('200').first().waitFor();
    },
  },
  { name: 'search', path: '/w/:w/search?q=orrin' },
  { name: 'search of a kind', path: '/w/:w/search?q=orrin&in=mentions' },
  { name: 'explorer', path: '/w/:w/explorer' },
  { name: 'settings', path: '/w/:w/settings' },
  { name: 'settings-limits', path: '/w/:w/settings?tab=limits' },
  { name: 'settings-members', path: '/w/:w/settings?tab=members' },
  {
    name: 'settings-invite',
    path: '/w/:w/settings?tab=members',
    act: (page) => button(page, 'Invite').click(),
  },
  {
    name: 'settings-invitation-link',
    path: '/w/:w/settings?tab=members',
    act: async (page) => {
      await button(page, 'Invite').click();
      await page.getByLabel('Email address').fill('grace@example.com');
      await button(page, 'Create link').click();
      await button(page, 'Copy link').waitFor();
    },
  },
  { name: 'settings-invited', path: '/w/:w/settings?tab=members' },
  { name: 'account', path: '/account' },
  {
    name: 'account-menu',
    path: '/w/:w/keys',
    act: async (page) => {
      const menu = button(page, 'Open menu');
      if (await menu.isVisible()) await menu.click();
      await button(page, /^Account of/)
        .locator('visible=true')
        .click();
    },
  },
  {
    name: 'workspaces',
    path: '/w/:w/keys',
    act: async (page) => {
      const menu = button(page, 'Open menu');
      if (await menu.isVisible()) await menu.click();
      await button(page, /^Workspace /)
        .locator('visible=true')
        .click();
    },
  },
  { name: 'not-found', path: '/w/wks_none/keys' },
];
