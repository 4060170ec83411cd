import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import setUpDatabase from '@svc/service/harness/embedded-18.ts';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../../tools/screenshots/chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Chromium; undefined where there is none to be had. */
    chromium: string | undefined;
  }
}

const DASHBOARD = fileURLToPath(new URL('../../', import.meta.url));

/** Global setup of the project that runs in a browser: a database, the dashboard as it is now, a Chromium. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = findChromium();
  project.provide('chromium', chromium);
  if (chromium === undefined) {
    process.stderr.write('there is no Chromium, and none can be installed: the dashboard is not tested\n');
    return async () => undefined;
  }
  // As it is shipped: under a test's own NODE_ENV React would come with its checks for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: DASHBOARD, env, stdio: 'inherit' });
  return setUpDatabase(project);
}
