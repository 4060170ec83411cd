import type { Page } from 'playwright-core';

/** A form that creates something. */
export interface CreatingForm {
  /** Path of the page below the workspace. */
  readonly page: string;
  readonly open: (page: Page) => Promise<void>;
  /** Fills the form. The focus stays in a field, so that Enter sends the form. */
  readonly fill: (page: Page, round: number) => Promise<void>;
  readonly submit: string;
  /** Name of the submit button after a failure. Default: the same. */
  readonly again?: string;
  /** Resolves when the form has been sent. */
  readonly done: (page: Page) => Promise<void>;
  readonly request: RegExp;
  readonly rows: string;
}

export const FORMS: Readonly<Record<string, CreatingForm>> = {
  'Create key': {
    page: '/keys',
    open: (page) => page.getByRole('button', { name: 'Create key' }).first().click(),
    fill: (page, round) => page.getByLabel('Name').fill(`Key ${round}`),
    submit: 'Create key',
    done: (page) => page.locator('[data-token]').waitFor(),
    request: /\/keys$/,
    rows: 'select id from api_keys',
  },
  'Create a webhook endpoint': {
    page: '/webhooks',
    open: (page) => page.getByRole('button', { name: 'Create endpoint' }).first().click(),
    fill: (page, round) => page.getByLabel('URL').fill(`https://example.com/${round}`),
    submit: 'Create endpoint',
    // A repeat does not get the secret.
    done: (page) => page.getByRole('heading', { name: 'The endpoint is created' }).waitFor(),
    request: /\/webhooks$/,
    rows: 'select id from webhook_endpoints',
  },
  'New workspace': {
    page: '/keys',
    open: async (page) => {
      await page.getByRole('button', { name: /^Workspace/ }).click();
      await page.getByRole('menuitem', { name: 'New workspace' }).click();
    },
    fill: (page, round) => page.getByLabel('Name').fill(`Workspace ${round}`),
    submit: 'Create workspace',
    done: (page) => page.getByRole('button', { name: /^Workspace Workspace \d/ }).waitFor(),
    request: /\/workspaces$/,
    rows: 'select id from workspaces',
  },
  'Invite a member': {
    page: '/settings?tab=members',
    open: (page) => page.getByRole('button', { name: 'Invite', exact: true }).click(),
    fill: (page, round) => page.getByLabel('Email address').fill(`new${round}@example.com`),
    submit: 'Create link',
    done: (page) => page.getByRole('button', { name: 'Copy link' }).waitFor(),
    request: /\/invitations$/,
    rows: 'select id from invitations',
  },
  'Create a record': {
    page: '/data/companies',
    open: (page) => page.getByRole('button', { name: 'Create company' }).click(),
    fill: (page, round) => page.getByLabel('Name').fill(`Record ${round}`),
    submit: 'Create company',
    done: (page) => page.getByRole('heading', { name: /^Record \d+$/ }).waitFor(),
    request: /\/data\/companies$/,
    rows: 'select id from companies',
  },
  'Import a file': {
    page: '/data/companies',
    open: (page) =>
      page
        .getByRole('button', { name: /^Import/ })
        .first()
        .click(),
    fill: async (page, round) => {
      const buffer = Buffer.from(`name\nCompany ${round}\n`);
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'companies.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('cell', { name: `Company ${round}` }).waitFor();
    },
    submit: 'Import',
    again: 'Try again',
    done: (page) => page.getByText('1 company imported').waitFor(),
    // The preview is checked by a dry run.
    request: /\/imports\/companies(?!.*dryRun)/,
    rows: 'select id from companies',
  },
};
