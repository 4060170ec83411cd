import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const HARNESS = 'service/test/harness';
const POSTGRESQL_15 = '/usr/lib/postgresql/15/bin/postgres';
const TEST_TIMEOUT_MS = 60_000;
const HOOK_TIMEOUT_MS = 120_000;

/** What runs in a browser, once: not on every database. */
const BROWSER = 'dashboard/test/';
const BROWSER_TEST_TIMEOUT_MS = 120_000;
/** Where changes land, machines are shared: what waits for a browser or a process gets another try there, and only there. */
const RETRIES = process.env['CI'] === undefined || process.env['PROVE'] !== undefined ? 0 : 2;

/** A test file needs a database when it imports from the harness more than these. */
const USES_DATABASE =
  /from '(?:\.\.?|@svc\/service)\/(?:[\w.-]+\/)*harness\/(?!temporary-directory|cleanup|process|dashboard-http|secrets|running-service|totp)/;

/** The file that `npm run prove` runs; it is not part of the suite. */
const PROOF = process.env['PROVE'];

const found =
  PROOF === undefined
    ? globSync('{packages,sdk,service,svcd,dashboard,bench,tools}/**/*.test.ts', {
        cwd: import.meta.dirname,
        exclude: ['**/node_modules/**'],
      }).sort()
    : [PROOF];
const inBrowser = found.filter((file) => file.startsWith(BROWSER));
const files = found.filter((file) => !inBrowser.includes(file));
// A proof reaches the harness by other files.
const withDatabase = files.filter(
  (file) => PROOF !== undefined || USES_DATABASE.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);
const withoutDatabase = files.filter((file) => !withDatabase.includes(file));

function project(
  name: string,
  include: readonly string[],
  globalSetup?: string,
  testTimeout = TEST_TIMEOUT_MS,
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [...include],
      // Not a glob over the whole tree again, and no file that appears in two lists.
      root: import.meta.dirname,
      setupFiles: ['packages/embedded-postgres/test/support/setup.ts'],
      testTimeout,
      retry: RETRIES,
      hookTimeout: HOOK_TIMEOUT_MS,
      ...(globalSetup === undefined ? {} : { globalSetup: [globalSetup] }),
    },
  };
}

const projects = [
  project('no database', withoutDatabase),
  project('embedded 18', withDatabase, `${HARNESS}/postgres/embedded-18.ts`),
];
if (inBrowser.length > 0) {
  projects.push(project('browser', inBrowser, 'dashboard/test/harness/setup.ts', BROWSER_TEST_TIMEOUT_MS));
}
if (existsSync(POSTGRESQL_15)) {
  projects.push(project('external 15', withDatabase, `${HARNESS}/postgres/external-15.ts`));
} else {
  process.stderr.write(`${POSTGRESQL_15} is not there: the tests run on the packaged PostgreSQL alone\n`);
}

// Half of the time a test waits for PostgreSQL or for a process: a worker per core, where the default leaves one free.
// A proof has the machine to itself.
export default defineConfig({
  test: {
    projects: projects.filter(({ test }) => (test?.include ?? []).length > 0),
    maxWorkers: PROOF === undefined ? '100%' : 1,
  },
});
