import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const CHROMIUM = '/usr/bin/chromium';
const INSTALL_TIMEOUT_MS = 300_000;

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
export function findChromium(): string | undefined {
  if (existsSync(CHROMIUM)) return CHROMIUM;
  if (process.getuid?.() !== 0) return undefined;
  try {
    const options = { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS } as const;
    execFileSync('apt-get', ['update', '-q'], options);
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], options);
  } catch {
    return undefined;
  }
  return existsSync(CHROMIUM) ? CHROMIUM : undefined;
}
