import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CreatingForm, FORMS } from './harness/creating-forms.ts';
import type { Visitor } from './harness/visitor.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type Person, type World } from './harness/world.ts';

/** Ways to send a form twice before the next render. */
const TWICE: Readonly<Record<string, (page: Page, submit: string) => Promise<void>>> = {
  'a double click without a pause': (page, submit) =>
    page
      .getByRole('dialog')
      .getByRole('button', { name: submit })
      .evaluate((button: HTMLElement) => {
        button.click();
        button.click();
      }),
  'a double click of the mouse': (page, submit) =>
    page.getByRole('dialog').getByRole('button', { name: submit }).dblclick({ noWaitAfter: true }),
  'Enter and a click': (page, submit) =>
    page
      .getByRole('dialog')
      .getByRole('button', { name: submit })
      .evaluate((button: HTMLButtonElement) => {
        button.form?.requestSubmit(button);
        button.click();
      }),
};

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a form that creates something', () => {
  let world: World;
  let ada: Person;
  let visitor: Visitor;
  let page: Page;
  let round = 0;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    visitor = await world.signedIn(ada);
    page = visitor.page;
  });

  const rowsOf = async (statement: string): Promise<number> =>
    (await world.pool.query(statement)).rowCount ?? 0;
  const start = async (form: CreatingForm): Promise<void> => {
    await page.goto(`/w/${ada.workspaceId}${form.page}`);
    await form.open(page);
    await form.fill(page, ++round);
  };

  describe.each(Object.entries(FORMS))('%s', (_, form) => {
    test.each(Object.entries(TWICE))('is sent once by %s', async (_, sendTwice) => {
      // A new page for each round, because the page of the last one asks before it is left.
      page = await visitor.context.newPage();
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && form.request.test(request.url())) sent.push(request.url());
      });
      const before = await rowsOf(form.rows);
      await start(form);
      await sendTwice(page, form.submit);
      await form.done(page);
      expect(sent).toHaveLength(1);
      expect(await rowsOf(form.rows)).toBe(before + 1);
      await page.close();
    });

    test('creates one thing if the response is lost and the form is sent again', async () => {
      page = await visitor.context.newPage();
      const before = await rowsOf(form.rows);
      await start(form);
      let lost = 0;
      await page.route(form.request, async (route) => {
        if (route.request().method() !== 'POST' || lost > 0) return route.continue();
        lost++;
        await route.fetch();
        return route.abort();
      });
      const press = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
      await press(form.submit);
      await page.getByRole('alert').getByText('cannot be reached').waitFor();
      expect(await rowsOf(form.rows)).toBe(before + 1);
      await press(form.again ?? form.submit);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      if (form.submit === 'Create key') {
        await page
          .getByRole('heading', { name: `“Key ${round}” was created, but its token was lost` })
          .waitFor();
        await page.getByRole('button', { name: 'Rotate key' }).click();
      }
      if (form.submit === 'Create link') {
        await page
          .getByRole('heading', { name: `new${round}@example.com is invited, but the link was lost` })
          .waitFor();
        expect(await rowsOf(form.rows)).toBe(before + 1);
        await page.getByRole('button', { name: 'Create a new link' }).click();
      }
      await form.done(page);
      const again = form.submit === 'Create link' ? 1 : 0;
      expect(await rowsOf(form.rows)).toBe(before + 1 + again);
      await page.close();
    });
  });

  test('does not ask to revoke the key that a new one replaces while nobody has the new token', async () => {
    page = await visitor.context.newPage();
    const press = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
    await page.goto(`/w/${ada.workspaceId}/keys`);
    await FORMS['Create key']?.open(page);
    await page.getByLabel('Name').fill('Replaced');
    const saved = "Done, I've saved it";
    await press('Create key');
    await press(saved);
    const replace = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for Replaced' }).click();
      await page.getByRole('menuitem', { name: 'Replace…' }).click();
      await page.getByLabel('Name').fill('New');
      await page.route(/\/keys$/, async (route) => {
        await route.fetch();
        return route.abort();
      });
      await press('Create key');
      await page.getByRole('alert').getByText('cannot be reached').waitFor();
      await page.unroute(/\/keys$/);
      await press('Create key');
    };
    await replace();
    await press('Later');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await replace();
    await press('Rotate key');
    await press(saved);
    await page.getByRole('alertdialog', { name: 'Revoke “Replaced”?' }).waitFor();
    await page.close();
  });

  test('sends another Idempotency-Key each time that it is opened', async () => {
    page = await visitor.context.newPage();
    const keys: string[] = [];
    page.on('request', (request) => {
      const key = request.headers()['idempotency-key'];
      if (key !== undefined) keys.push(key);
    });
    for (let time = 0; time < 2; time++) {
      await page.goto(`/w/${ada.workspaceId}/keys`);
      await FORMS['Create key']?.open(page);
      await page.getByLabel('Name').fill('Twice the same');
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.locator('[data-token]').waitFor();
      await page.getByRole('button', { name: "Done, I've saved it" }).click();
    }
    expect(new Set(keys).size).toBe(2);
    await page.close();
  });

  test('is sent once by a double click, and so is every button that changes something', async () => {
    page = await visitor.context.newPage();
    const make = (path: string, data: object) =>
      visitor.context.request.post(`/dashboard/api/workspaces/${ada.workspaceId}${path}`, {
        headers: { 'idempotency-key': `by hand ${path}`.replaceAll(' ', '-') },
        data,
      });
    await make('/keys', { name: 'Clicked twice', mode: 'test', access: 'read', companyId: null });
    await make('/invitations', { email: 'twice@example.com', role: 'viewer' });
    await page.goto(`/w/${ada.workspaceId}/keys`);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET')
        sent.push(`${request.method()} ${new URL(request.url()).pathname.split('/').at(-1)}`);
    });
    const twice = (name: string, role: 'button' | 'menuitem' = 'button'): Promise<void> =>
      page
        .getByRole(role, { name, exact: true })
        .first()
        .evaluate((button: HTMLElement) => {
          button.click();
          button.click();
        });
    await page.getByRole('button', { name: 'Actions for Clicked twice' }).click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).click();
    await twice('Rotate key');
    await page.locator('[data-token]').waitFor();
    await page.getByRole('button', { name: "Done, I've saved it" }).click();
    await page.getByRole('button', { name: 'Actions for Clicked twice' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await twice('Revoke key');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(sent).toEqual(['POST rotate', 'POST revoke']);
    sent.length = 0;

    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    const withdrawn = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await twice('Withdraw');
    await withdrawn;
    await page.getByText('Invitation withdrawn').first().waitFor();
    expect(sent).toHaveLength(1);
    sent.length = 0;

    const other = await world.visitor();
    await other.page.goto('/sign-in');
    await other.page.getByLabel('Email address').fill(ada.email);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.waitForURL(/\/w\//);
    await page.goto('/account');
    await twice('Sign out');
    await page.getByText('Session ended.').first().waitFor();
    expect(sent).toEqual(['POST revoke-session']);
    await page.close();
  });
});
