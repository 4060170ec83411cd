import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import setUpDatabase from '@svc/service/harness/postgres/embedded-18.ts';
import type { TestProject } from 'vitest/node';
import { findHeadlessChromium } from '../../../tools/screenshots/chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of Chromium; undefined if it is missing, which is an error in CI. */
    chromium: string | undefined;
  }
}

const DASHBOARD = fileURLToPath(new URL('../../', import.meta.url));

/** Global setup of the tests in a browser: finds Chromium, builds the dashboard, starts a database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = findHeadlessChromium();
  project.provide('chromium', chromium);
  if (chromium === undefined) {
    const missing =
      'there is no chromium-headless-shell and no chromium in /usr/bin, and neither can be installed without root';
    const remedy = 'Run: sudo apt-get install chromium-headless-shell';
    if (process.env['CI'] !== undefined) throw new Error(`${missing}. ${remedy}`);
    process.stderr.write(`${missing}: the tests in a browser are skipped. ${remedy}\n`);
    return async () => undefined;
  }
  // Build as for a release. With the NODE_ENV of tests, the build would contain React's checks for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: DASHBOARD, env, stdio: 'inherit' });
  return setUpDatabase(project);
}
