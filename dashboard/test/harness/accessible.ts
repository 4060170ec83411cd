import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL_RULES = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} as const;
/** The rules whose result depends on the theme. They take a small part of the time. */
const COLOR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;
type Rules = typeof ALL_RULES | typeof COLOR_RULES;

async function expectNoFindings(page: Page, rules: Rules): Promise<void> {
  // A page keeps axe until it loads again. Without the last value, Playwright would serialize all of axe.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${AXE};undefined`);
  const findings = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: AxeRunner };
    // The colours of what fades in are too pale. An animation without an end cannot be finished.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
    // Otherwise axe also describes every element that passes.
    const { violations } = await axe.run(document, {
      runOnly,
      resultTypes: ['violations'],
      selectors: false,
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
  expect(findings).toEqual([]);
}

/** Fails if axe finds a problem, or if the page is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoFindings(page, ALL_RULES);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

/** Like `expectAccessible`, and the colours in both themes. For states that take long to reach. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await setTheme(page, 'light');
  await expectAccessible(page);
  await setTheme(page, 'dark');
  await expectNoFindings(page, COLOR_RULES);
}

const setTheme = (page: Page, colorScheme: 'light' | 'dark'): Promise<void> =>
  page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });

const PHONE_PIXELS = 360;

/** Like `expectAccessibleInBothThemes`, in the current window and in one as narrow as a phone. Restores both. */
export async function expectAccessibleInEveryLook(page: Page): Promise<void> {
  const size = page.viewportSize();
  if (size === null) throw new Error('the window has no fixed size');
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: PHONE_PIXELS, height: size.height });
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

interface AxeRunner {
  run(
    context: unknown,
    options: {
      readonly runOnly: Rules;
      readonly resultTypes: readonly ['violations'];
      readonly selectors: boolean;
    },
  ): Promise<{ readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>;
}
