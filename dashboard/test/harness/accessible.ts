import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Fails if axe finds a problem, or if the page is wider than the window. */
export async function expectAccessible(page: Page): Promise<void> {
  // A page keeps axe until it loads again.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const findings = await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: AxeRunner };
    // Otherwise axe also describes every element that passes.
    const options = { runOnly: tags, resultTypes: ['violations'], selectors: false } as const;
    const { violations } = await axe.run(document, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, AXE_TAGS);
  expect(findings).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

/** Like `expectAccessible`, in both themes. For states that take long to reach. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Wait for the transitions of colours to end.
    await page.evaluate(() =>
      Promise.allSettled(document.getAnimations().map((animation) => animation.finished)),
    );
    await expectAccessible(page);
  }
}

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
      readonly runOnly: readonly string[];
      readonly resultTypes: readonly ['violations'];
      readonly selectors: boolean;
    },
  ): Promise<{ readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>;
}
