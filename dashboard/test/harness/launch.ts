import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../../tools/screenshots/chromium.ts';

/** Path of Chromium. Undefined if it is missing: then the setup prints how to install it, and the tests are skipped. */
export const BROWSER_PATH = inject('chromium');

export async function launch(more: readonly string[] = []): Promise<Browser> {
  if (BROWSER_PATH === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: BROWSER_PATH, args: [...CHROMIUM_ARGUMENTS, ...more] });
}
