import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until an element in a dialog that scrolls is above the buttons, which stay visible. */
export const expectAbove = (element: Locator, button: Locator): Promise<void> =>
  expect
    .poll(async () => {
      const [upper, lower] = await Promise.all([element.boundingBox(), button.boundingBox()]);
      return upper !== null && lower !== null && upper.y + upper.height <= lower.y;
    })
    .toBe(true);
