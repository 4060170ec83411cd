import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, test } from 'vitest';
import { expectAccessibleInEveryLook } from '../harness/accessible.ts';
import {
  OUTSIDE_PAGES,
  PAGES_WITHOUT_DATA,
  pageLoaded,
  SIGNED_IN_PAGES,
  seedPages,
} from '../harness/pages.ts';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

/** The requests that the frame around every page needs. */
const FRAME = /^\/dashboard\/api\/(?:me|session|workspaces\/[^/]+)$/;
const isPageData = ({ pathname }: URL): boolean =>
  pathname === '/openapi.json' || (pathname.startsWith('/dashboard/api/') && !FRAME.test(pathname));

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)(
  'axe finds no problem in either theme, wide and on a phone',
  () => {
    let world: World;
    let ada: Person;
    let empty: Person;
    let visitor: Visitor;
    let newcomer: Visitor;
    let stranger: Visitor;
    beforeAll(async () => {
      world = await createWorld();
      ada = await world.person('Ada');
      empty = await world.person('Emma', 'Empty');
      await seedPages(world, ada);
      visitor = await world.signedIn(ada, { reducedMotion: 'reduce' });
      newcomer = await world.signedIn(empty, { reducedMotion: 'reduce' });
      stranger = await world.visitor({ reducedMotion: 'reduce' });
    });

    const open = async (page: Page, path: string, person: Person): Promise<void> => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(path.replace('$workspaceId', person.workspaceId));
    };
    test.each(OUTSIDE_PAGES)('without a session: %s', async (path) => {
      await open(stranger.page, path, ada);
      await pageLoaded(stranger.page);
      await expectAccessibleInEveryLook(stranger.page);
    });

    test.each(SIGNED_IN_PAGES)('with data: %s', async (path) => {
      await open(visitor.page, path, ada);
      await pageLoaded(visitor.page);
      await expectAccessibleInEveryLook(visitor.page);
    });

    test.each(PAGES_WITHOUT_DATA)('empty: %s', async (path) => {
      await open(newcomer.page, path, empty);
      await pageLoaded(newcomer.page);
      await expectAccessibleInEveryLook(newcomer.page);
    });

    test.each(SIGNED_IN_PAGES)('while it loads, and after the service has gone away: %s', async (path) => {
      const page = await visitor.context.newPage();
      const held: Route[] = [];
      let away = false;
      const asked = Promise.withResolvers<void>();
      await page.route(isPageData, (route) => {
        if (away) return route.abort();
        held.push(route);
        return asked.resolve();
      });
      await open(page, path, ada);
      await asked.promise;
      await page.getByRole('main').waitFor();
      await expectAccessibleInEveryLook(page);
      away = true;
      await Promise.all(held.map((route) => route.abort()));
      await pageLoaded(page);
      await expectAccessibleInEveryLook(page);
      await page.close();
    });
  },
);
