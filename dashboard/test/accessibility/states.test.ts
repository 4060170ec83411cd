import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH, createWorld, PASSWORD, type Person, type World } from '../harness/world.ts';

const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const;

interface State {
  readonly path: string;
  /** A heading that appears when the page has loaded. */
  readonly heading: string;
  /** Whether the page is opened without a session. */
  readonly outside?: true;
  readonly act?: (page: Page) => Promise<unknown>;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const dialog = (page: Page) => page.getByRole('dialog');

/**
 * States of pages that no other file checks. pages.test.ts has all pages, dialogs-by-keyboard.test.ts all popups. `:w` is
 * the workspace id.
 */
const STATES: Readonly<Record<string, State>> = {
  'set-up': { path: '/set-up#token=x', heading: 'Set up svc', outside: true },
  'expired invitation': { path: '/invitation#token=x', heading: 'Join a workspace', outside: true },
  'revoked keys': { path: '/w/:w/keys?status=revoked', heading: 'No revoked keys' },
  'new key for one company': {
    path: '/w/:w/keys?create=true',
    heading: 'Create an API key',
    act: async (page) => {
      await page.getByRole('radio', { name: /^One company/ }).click();
      await page.getByRole('option', { name: /Acme/ }).waitFor();
    },
  },
  'token of a key': {
    path: '/w/:w/keys?create=true',
    heading: 'Create an API key',
    act: async (page) => {
      await page.getByLabel('Name').fill('Looked at');
      await dialog(page).getByRole('button', { name: 'Create key' }).click();
      await page.locator('[data-token]').waitFor();
    },
  },
  limits: { path: '/w/:w/settings?tab=limits', heading: 'Live quota' },
  members: { path: '/w/:w/settings?tab=members', heading: 'Members' },
  'second factor': {
    path: '/account',
    heading: 'Account',
    act: async (page) => {
      await press('Set up an authenticator')(page);
      await page.getByLabel('Your password').fill(PASSWORD);
      await press('Continue')(page);
      await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
    },
  },
  'command palette': {
    path: '/w/:w/keys',
    heading: 'API keys',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await dialog(page).waitFor();
    },
  },
  'not found': { path: '/w/wks_none/keys', heading: 'Page not found' },
};

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)(
  'axe finds no problem, and no page is wider than the window',
  () => {
    let world: World;
    let ada: Person;
    const visitors = new Map<string, Visitor>();
    beforeAll(async () => {
      world = await createWorld();
      ada = await world.person('Ada');
      const createdAt = '2026-03-01T09:30:00Z';
      const seed = (name: string, rows: Parameters<typeof seedRecords>[3]): Promise<void> =>
        seedRecords(world.pool, ada.workspaceId, resourceNamed(name), rows);
      await seed('companies', [{ id: 'com_a', name: 'Acme', createdAt }]);
      await seed('api-keys', [
        { id: 'key_a', name: 'Crawler', companyId: 'com_a', revokedAt: null, createdAt },
      ]);
    });

    /** One browser context per theme and width, because signing in is slow. */
    const visitorFor = async (theme: 'light' | 'dark', width: number, outside: boolean): Promise<Visitor> => {
      const key = `${theme} ${width} ${outside}`;
      const options = {
        viewport: { width, height: 800 },
        colorScheme: theme,
        reducedMotion: 'reduce',
      } as const;
      const known =
        visitors.get(key) ?? (outside ? await world.visitor(options) : await world.signedIn(ada, options));
      visitors.set(key, known);
      return known;
    };

    test.each(
      Object.keys(STATES).flatMap((name) => LOOKS.map(([theme, width]) => [name, theme, width] as const)),
    )('%s, %s, %i px', async (name, theme, width) => {
      const state = STATES[name];
      if (state === undefined) throw new Error(`there is no state ${name}`);
      const { page, expectNoProblems } = await visitorFor(theme, width, state.outside === true);
      // Leave the page first. A path that differs only in its fragment would not load again.
      await page.goto('about:blank');
      await page.goto(world.url + state.path.replace(':w', ada.workspaceId));
      await page.getByRole('heading', { name: state.heading }).first().waitFor();
      await state.act?.(page);
      await expectAccessible(page);
      expectNoProblems(/status of 40[04]/);
    });

    test('the drawer on a phone has the whole menu', async () => {
      const { page, expectNoProblems } = await visitorFor('light', 360, false);
      await page.goto(`${world.url}/w/${ada.workspaceId}/keys`);
      await page.getByRole('button', { name: 'Open menu' }).click();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      expect(await dialog(page).count()).toBe(0);
      expectNoProblems();
    });
  },
);
