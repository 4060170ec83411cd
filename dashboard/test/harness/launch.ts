import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../../tools/screenshots/chromium.ts';

/** Undefined where there is no Chromium: the project says so once, and its tests are skipped. */
export const BROWSER_PATH = inject('chromium');

export async function launch(more: readonly string[] = []): Promise<Browser> {
  if (BROWSER_PATH === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: BROWSER_PATH, args: [...CHROMIUM_ARGUMENTS, ...more] });
}
