import { existsSync } from 'node:fs';
import { findProgram } from '../debian.ts';

/** Headless, without a sandbox (root has none), and without the requests that Chromium makes by itself. */
export const CHROMIUM_ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

const CHROMIUM = '/usr/bin/chromium';
/** Chromium without windows, which needs about two thirds of the processor time. */
const HEADLESS_CHROMIUM = '/usr/bin/chromium-headless-shell';

/** The path of Debian's Chromium. Installs Chromium if it is missing. Undefined if that is not possible. */
export const findChromium = (): string | undefined => findProgram(CHROMIUM, 'chromium');

/** Like `findChromium`, but prefers Chromium without windows, even if only the other one is installed. */
export const findHeadlessChromium = (): string | undefined =>
  findProgram(HEADLESS_CHROMIUM, 'chromium-headless-shell') ?? findChromium();

/** The path of a Chromium that is installed. Undefined if there is none. */
export const installedChromium = (): string | undefined => [HEADLESS_CHROMIUM, CHROMIUM].find(existsSync);
