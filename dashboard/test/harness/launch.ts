import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../../tools/screenshots/chromium.ts';

/** Path of Chromium. Undefined if it is missing: then the setup prints how to install it, and the tests are skipped. */
export const BROWSER_PATH = inject('chromium');

/** One process less, which takes less processor time. */
const ONE_PROCESS_LESS = '--in-process-gpu';

export async function launch(more: readonly string[] = []): Promise<Browser> {
  if (BROWSER_PATH === undefined) throw new Error('there is no Chromium');
  const args = [...CHROMIUM_ARGUMENTS, ONE_PROCESS_LESS, ...more];
  return chromium.launch({ executablePath: BROWSER_PATH, args });
}
