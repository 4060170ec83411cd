import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook } from './harness/accessible.ts';
import { choose, focused, focusIsInside, goTo } from './harness/keyboard.ts';
import { seedWebhook } from './harness/pages.ts';
import { POPUPS } from './harness/popups.ts';
import { ENDPOINT_ID } from './harness/webhook-popups.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from './harness/world.ts';

/** Uses every dialog, menu and popover with only the keyboard, and looks at it with axe. */

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url));
const OPENS = /<(?:Dialog|BareDialog|Confirm|Menu|Popover\.Root)\b/;
/** Other dialogs are made of it. */
const PART = 'ui/popup/bare-dialog.tsx';
const TABS = 12;

test('every file that renders a dialog, a menu or a popover has a case here', () => {
  const rendering = globSync('{layout,list,pages,ui}/**/*.tsx', { cwd: SOURCE }).filter(
    (file) => file !== PART && OPENS.test(readFileSync(join(SOURCE, file), 'utf8')),
  );
  const covered = new Set(Object.values(POPUPS).flatMap(({ files }) => files));
  expect(rendering.toSorted()).toEqual([...covered].toSorted());
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('with the keyboard only', () => {
  let world: World;
  let ada: Person;
  let page: Page;
  beforeAll(async () => {
    world = await createWorld({ openId: true });
    ada = await world.person('Ada');
    world.provider?.people.set('ada', { sub: 'ada', email: ada.email, email_verified: true });
    const bob = await world.person('Bob', 'Own');
    await world.join(ada.workspaceId, bob, 'viewer');
    const vera = await world.person('Vera', 'Gone');
    await world.pool.query('delete from members where user_id = $1', [vera.userId]);
    await world.join(ada.workspaceId, vera, 'viewer');
    const createdAt = '2026-03-01T09:30:00Z';
    const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
      seedRecords(world.pool, ada.workspaceId, resourceNamed(name), rows);
    await seed('companies', [
      { id: 'com_a', name: 'Acme', domain: 'acme.example', createdAt },
      { id: 'com_b', name: 'Borealis', domain: null, createdAt },
    ]);
    await seed('content', [
      {
        id: 'con_a',
        companyId: 'com_a',
        title: 'First words',
        url: null,
        publishedAt: null,
        status: 'draft',
        updatedAt: createdAt,
        createdAt,
      },
    ]);
    await seedWebhook(world, ada.workspaceId, ENDPOINT_ID);
    ({ page } = await world.signedIn(ada));
  });

  test.each(Object.entries(POPUPS))('%s', async (_, one) => {
    await page.setViewportSize({ width: one.width ?? 1280, height: 900 });
    await page.goto(one.page.startsWith('/account') ? one.page : `/w/${ada.workspaceId}${one.page}`);
    await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
    await one.before?.(page);
    const popup = page.getByRole(one.role);
    const look = async (role: typeof one.role | 'menuitem'): Promise<void> => {
      await expectAccessibleInEveryLook(page);
      expect(await page.getByRole(role).count(), 'axe saw the popup').toBeGreaterThan(0);
    };
    const open = async (first: boolean): Promise<void> => {
      await goTo(page, one.trigger);
      await (one.opens?.(page) ?? page.keyboard.press(one.key ?? 'Enter'));
      if (one.item !== undefined) {
        await page.getByRole('menuitem', { name: one.item }).waitFor();
        if (first) await look('menuitem');
        await choose(page, one.item);
      }
      await popup.waitFor();
      await expect
        .poll(() => focusIsInside(page, one.role), { message: 'the focus is in the popup' })
        .toBe(true);
      if (first) await look(one.role);
    };

    await open(true);
    for (let step = 0; step < TABS; step++) {
      await page.keyboard.press('Tab');
      expect(await focusIsInside(page, one.role), 'Tab stays in the popup').toBe(true);
    }
    // If a tooltip is open, Escape closes it first.
    const escaped = async (): Promise<number> => {
      await page.keyboard.press('Escape');
      return popup.count();
    };
    await expect.poll(escaped).toBe(0);
    const back = one.trigger;
    await expect
      .poll(() => focused(page), { message: 'the focus returns to the trigger' })
      .toEqual(typeof back === 'string' ? back : expect.stringMatching(back));

    await open(false);
    await one.use(page);
    await popup.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page), { message: 'the focus is not lost' }).not.toBe('');
  });
});
