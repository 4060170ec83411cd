import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from './harness/world.ts';

/** Console messages about failed requests and about the error that React shows. */
const FAILED = /net::ERR_|status of \d{3}|^ChunkFailure/;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('while the service is down', () => {
  let world: World;
  let ada: Person;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
  });

  const loads = async (page: Page): Promise<readonly string[]> => {
    const seen: string[] = [];
    page.on('request', (request) => {
      if (request.isNavigationRequest()) seen.push(request.url());
    });
    return seen;
  };

  test('a page without its code shows an error inside the frame, and opens when the service is back', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const navigations = await loads(page);
    await world.stop();
    try {
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByText('The page opens as soon as the service responds').waitFor();
      await page.getByRole('link', { name: 'Explorer' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/w/${ada.workspaceId}/keys`);
    } finally {
      await world.start();
    }
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${ada.workspaceId}/keys`);
    expect(navigations, 'without loading the window again').toEqual([]);
    expectNoProblems(FAILED);
  });

  test('the frame and the title of a page are painted before its code has arrived, except on pages without it', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.route('**/assets/*', (route) => route.abort());
    const frame = page.locator('.waiting');
    await page.goto(`/w/${ada.workspaceId}/keys`);
    await frame.getByText('API keys', { exact: true }).waitFor();
    await frame.getByText('Each key has the access that you choose').waitFor();
    await page.goto('/account');
    await frame.waitFor();
    expect(await frame.textContent()).not.toMatch(/%|API keys/);
    await page.goto('/sign-in');
    expect(await frame.isVisible()).toBe(false);
    expectNoProblems(FAILED);
  });

  test('a page whose scripts cannot be loaded is loaded once more, then says so', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const navigations = await loads(page);
    await page.addInitScript(() => {
      // Each load takes 90 seconds until it fails.
      const before = Number(sessionStorage.getItem('loads'));
      sessionStorage.setItem('loads', String(before + 1));
      const start = performance.timeOrigin + before * 90_000;
      Object.defineProperty(performance, 'timeOrigin', { value: start });
      Date.now = () => start + 90_000;
    });
    await page.route('**/assets/app-*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'commit' });
    const dialog = page.getByRole('alertdialog', { name: 'Loading failed' });
    await dialog.getByText('The page could not be loaded.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText('The page could not be loaded.').waitFor();
    await expectAccessible(page);
    expect(navigations).toHaveLength(2);
    await page.unroute('**/assets/app-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expectNoProblems(FAILED);
  });

  test('a read that is never answered ends with an error and a button to try again', async () => {
    const { page } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.evaluate(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 10);
    });
    await page.route('**/keys?*', () => undefined);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('alert').getByText('The service did not respond in time.').waitFor();
    await page.unroute('**/keys?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  });

  test('an error names its request once', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const REQUEST = 'a-request-of-this-test';
    const fail = (message: string) =>
      page.route('**/members', (route) =>
        route.fulfill({
          status: 500,
          headers: { 'request-id': REQUEST },
          json: { error: { code: 'internal_error', message } },
        }),
      );
    const shown = page.getByRole('alert').filter({ hasText: 'Try again' });
    for (const message of ['Something went wrong.', `Tell the operator this Request-Id: ${REQUEST}`]) {
      await fail(message);
      await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
      await shown.getByText(message).waitFor();
      expect((await shown.textContent())?.split(REQUEST)).toHaveLength(2);
      await page.unroute('**/members');
    }
    expectNoProblems(FAILED);
  });

  test('the command palette says that it could not be loaded, and opens later', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    // Block the file before the page preloads it.
    let away = true;
    await page.route(/\/command-palette-.*\.js$/, (route) => (away ? route.abort() : route.continue()));
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByText('There is a newer release. Reload the page.').first().waitFor();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    away = false;
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages, actions and data').waitFor();
    expectNoProblems(FAILED);
  });

  test('a search in the command palette says that it failed, or that a part of it did', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to' });
    await page.route(/\/company-names/, (route) => route.abort());
    await input.fill('ada');
    await page.getByText('Some results could not be loaded.').waitFor();
    await page.getByRole('group', { name: 'Members' }).getByText('ada@example.com').waitFor();
    await expectAccessible(page);
    await input.fill('nobody');
    await page.getByText('The search failed.').waitFor();
    expectNoProblems(FAILED);
  });

  test('the pending invitations say that they could not be loaded', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.route('**/invitations', (route) => route.abort());
    await page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    const pending = page.getByRole('region', { name: 'Pending invitations' });
    await pending.getByText('This could not be loaded').waitFor();
    await page.unroute('**/invitations');
    await pending.getByRole('button', { name: 'Try again' }).click();
    await pending.waitFor({ state: 'detached' });
    expectNoProblems(FAILED);
  });

  test('a newer release is loaded once, and the URL stays', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const navigations = await loads(page);
    // The file of the old release is missing until the window is reloaded.
    await context.route(/\/log-page-.*\.js$/, (route) =>
      navigations.length === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    expect(navigations).toHaveLength(1);
    expect(new URL(page.url()).pathname).toBe(`/w/${ada.workspaceId}/log`);
    expectNoProblems(FAILED);
  });

  test('a page whose code is missing reloads the window once, not for ever', async () => {
    const { page, context, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const navigations = await loads(page);
    await context.route(/\/explorer-page-.*\.js$/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Explorer', exact: true }).click();
    await page.getByText('the code of this page is missing').waitFor();
    expect(navigations).toHaveLength(1);
    await context.unroute(/\/explorer-page-.*\.js$/);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Explorer' }).waitFor();
    expectNoProblems(FAILED);
  });
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('what is shown only once', () => {
  let world: World;
  let ada: Person;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
  });

  test('is not lost by Back, a reload or a closed tab, which all ask first', async () => {
    const { page, expectNoProblems } = await world.signedIn(ada);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Precious');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const token = page.locator('[data-token]');
    const shown = await token.textContent();

    await page.evaluate(() => history.back());
    await page.getByRole('alertdialog', { name: 'Leave this page?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await token.textContent()).toBe(shown);
    expect(new URL(page.url()).pathname).toBe(`/w/${ada.workspaceId}/keys`);

    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    // The dialog stays open, so the page never unloads.
    await page.evaluate(() => location.reload());
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(['beforeunload', 'beforeunload']);
    expect(await token.textContent()).toBe(shown);

    await page.evaluate(() => history.back());
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The page no longer asks.
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(asked).toHaveLength(2);
    expectNoProblems();
  });
});
