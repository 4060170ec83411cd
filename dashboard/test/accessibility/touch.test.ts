import { beforeAll, describe, expect, test } from 'vitest';
import { pageLoaded, SIGNED_IN_PAGES, seedPages } from '../harness/pages.ts';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

/** In CSS pixels: what Apple and the AAA level of WCAG ask for controls, and the AA level for every target. */
const CONTROL_PIXELS = 44;
const TARGET_PIXELS = 24;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('on a touch screen', () => {
  let world: World;
  let ada: Person;
  let visitor: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    await seedPages(world, ada);
    visitor = await world.signedIn(ada, {
      ...{ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' },
    });
  });

  test.each(SIGNED_IN_PAGES)('%s has controls of 44 pixels, and no target below 24', async (path) => {
    const { page } = visitor;
    await page.goto(path.replace('$workspaceId', ada.workspaceId));
    await pageLoaded(page);
    const targets = await page.evaluate(measure, [CONTROL_PIXELS, TARGET_PIXELS] as const);
    expect(targets.measured).toBeGreaterThan(0);
    expect(targets.small).toEqual([]);
  });

  test('the rows of a list are as high as the list assumes', async () => {
    const { page } = visitor;
    for (const path of ['log', 'data/content']) {
      await page.goto(`/w/${ada.workspaceId}/${path}`);
      const row = page.locator('tbody tr[aria-rowindex]').first();
      await row.waitFor();
      const [actual, assumed] = await row.evaluate((element) => [
        element.getBoundingClientRect().height,
        Number.parseFloat((element as HTMLElement).style.height),
      ]);
      expect(Math.abs(Number(actual) - Number(assumed))).toBeLessThanOrEqual(1);
    }
  });
});

/** Runs in the page. Links within a sentence are exempt, as in WCAG, and so is what only the keyboard shows. */
function measure([control, target]: readonly [number, number]) {
  const elements = document.querySelectorAll<HTMLElement>(
    'a[href], button, summary, select, textarea, input:not([type="hidden"], [type="file"])',
  );
  const small: string[] = [];
  let measured = 0;
  for (const element of elements) {
    const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
    if (width === 0 || element.textContent === 'Skip to content') continue;
    measured++;
    const isText = element instanceof HTMLAnchorElement && element.parentElement?.tagName === 'P';
    const isControl =
      !(element instanceof HTMLAnchorElement) &&
      element.closest('tr') === null &&
      !(element instanceof HTMLInputElement && element.type === 'checkbox');
    const least = isText ? 0 : isControl ? control : target;
    if (height < least || width < target) {
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      small.push(`${element.tagName} ${name.trim().slice(0, 40)}: ${width} × ${height}`);
    }
  }
  return { measured, small };
}
