import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { CHROMIUM_ARGUMENTS } from '../../../tools/screenshots/chromium.ts';

/** Path of Chromium. Undefined if it is missing: then the setup prints how to install it, and the tests are skipped. */
export const BROWSER_PATH = inject('chromium');

/**
 * Takes less processor time: tests open many pages for a short time, so optimizing compilers and more threads cost more than
 * they save.
 */
const FOR_SHORT_SESSIONS = [
  '--in-process-gpu',
  '--num-raster-threads=1',
  '--js-flags=--no-opt,--no-maglev',
] as const;

export interface LaunchOptions {
  /** More arguments of the command line. */
  readonly more?: readonly string[];
  /** Whether Chromium draws and compiles as it does for people. For tests that measure. Default: false. */
  readonly asForPeople?: boolean;
}

export async function launch({ more = [], asForPeople = false }: LaunchOptions = {}): Promise<Browser> {
  if (BROWSER_PATH === undefined) throw new Error('there is no Chromium');
  const args = [...CHROMIUM_ARGUMENTS, ...(asForPeople ? [] : FOR_SHORT_SESSIONS), ...more];
  return chromium.launch({ executablePath: BROWSER_PATH, args });
}
