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

/** The path of Debian's Chromium. Installs Chromium if it is missing. Undefined if that is not possible. */
export const findChromium = (): string | undefined => findProgram('/usr/bin/chromium', 'chromium');
