import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Closes the page as a person does, expects the browser's own question, and stays. */
export async function stayWhenClosing(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  const closing = page.close({ runBeforeUnload: true });
  const native = await asked;
  expect(native.type()).toBe('beforeunload');
  await native.dismiss();
  await closing;
}
