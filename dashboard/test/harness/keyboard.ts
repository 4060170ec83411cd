import type { Page } from 'playwright-core';

const STEPS_MAX = 80;

/** The label or text of the focused element; empty if it is the page itself. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null;
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').trim();
  });

/** Presses the key until the focused element has this name. */
export async function goTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    const text = await focused(page);
    if (typeof name === 'string' ? text === name : name.test(text)) return;
    seen.push(text);
    await page.keyboard.press(key);
    // A menu moves the focus only after the event.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }
  throw new Error(`${key} does not lead to ${String(name)}, but to ${seen.join(' | ')}`);
}

/** Moves the focus to the element with Tab and presses Enter. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await goTo(page, name);
  await page.keyboard.press('Enter');
}

/** Chooses an item of the open menu. */
export async function choose(page: Page, name: string | RegExp): Promise<void> {
  await goTo(page, name, 'ArrowDown');
  await page.keyboard.press('Enter');
}

/** Whether the focus is inside an element with this role. */
export const focusIsInside = (page: Page, role: string): Promise<boolean> =>
  page.evaluate((wanted) => document.activeElement?.closest(`[role="${wanted}"]`) != null, role);
