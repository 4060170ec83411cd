import { existsSync, globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const HARNESS = 'service/test/harness';
const POSTGRESQL_15 = '/usr/lib/postgresql/15/bin/postgres';
const TEST_TIMEOUT_MS = 60_000;
const HOOK_TIMEOUT_MS = 120_000;
/** Of `expect.poll`, long enough for a busy machine. The default of vitest is one second. */
const POLL_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 20;

/** The tests in this folder run in a browser, once, not on every database. */
const BROWSER = 'dashboard/test/';
const BROWSER_TEST_TIMEOUT_MS = 120_000;
/** A shared machine may delay a browser or a process, so CI retries the tests that drive one. Other tests have no retry. */
const RETRIES = process.env['CI'] === undefined || process.env['PROVE'] !== undefined ? 0 : 2;
const DRIVES_PROCESS =
  /from '(?:node:child_process|[^']*\/(?:harness\/(?:process|running-service)|mcp-client)\.ts)'/;
const PROCESS_TESTS = 'packages/embedded-postgres/test/';

/** A test file needs a database if it imports another file of the harness than these. */
const USES_DATABASE =
  /from '(?:\.\.?|@svc\/service)\/(?:[\w.-]+\/)*harness\/(?!temporary-directory|cleanup|process|dashboard-http|secrets|running-service|totp)/;

/**
 * Folders and files of tests in which SQL has little part: of the client, the dashboard, documents, HTTP, files and
 * webhooks. They run on the packaged PostgreSQL only. service/test/plans executes every declared statement of requests and
 * imports on both.
 */
const ON_PACKAGED_ONLY: readonly string[] = [
  'sdk/',
  'service/src/dashboard/',
  'service/src/http/',
  'service/test/dashboard/',
  'service/test/docs/',
  'service/test/fuzz/',
  'service/test/http/',
  'service/test/neighbours/',
  'service/test/openapi/',
  'service/test/pooler/refused.test.ts',
  'service/test/process/shutdown.test.ts',
  'service/test/property/dashboard-garbage.test.ts',
  'service/test/records/import-process.test.ts',
  'service/test/reference/',
  'service/test/rotation/',
  'service/test/telemetry/',
  'service/test/waiting/',
  'service/test/webhooks/',
  'svcd/test/backup/schedule.test.ts',
  'svcd/test/doctor/',
  'svcd/test/files/',
  'svcd/test/import-memory.test.ts',
  'svcd/test/import.test.ts',
];
const missing = ON_PACKAGED_ONLY.filter((path) => !existsSync(join(import.meta.dirname, path)));
if (missing.length > 0)
  throw new Error(`vitest.config.ts names paths that do not exist: ${missing.join(', ')}`);

/** The file that `npm run prove` runs. Undefined: the suite runs. */
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
// A proof always needs a database: it imports the harness through other files.
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const withDatabase = files.filter((file) => PROOF !== undefined || USES_DATABASE.test(textOf(file)));
const withoutDatabase = files.filter((file) => !withDatabase.includes(file));
const drivesProcess = (file: string): boolean =>
  PROOF === undefined && (file.startsWith(PROCESS_TESTS) || DRIVES_PROCESS.test(textOf(file)));

/**
 * Folders of tests that can share loaded modules: each file creates the services that it uses. To load all modules again
 * for each file takes about as long as the tests.
 */
const SHARES_MODULES: readonly string[] = [
  'sdk/test/',
  'service/src/audit-log/',
  'service/src/bulk/',
  'service/src/dashboard/',
  'service/src/integrity/',
  'service/src/jobs/',
  'service/src/list/',
  'service/src/records/',
  'service/src/server/',
  'service/src/webhooks/',
  'service/test/audit-log/',
  'service/test/contract/',
  'service/test/http/',
  'service/test/lists/',
  'service/test/waiting/',
  'service/test/writes/',
];
const sharesModules = (file: string): boolean => SHARES_MODULES.some((folder) => file.startsWith(folder));

interface ProjectOptions {
  readonly globalSetup?: string;
  readonly testTimeout?: number;
  readonly retry?: number;
  /** Whether each file loads all modules again. Default: yes. */
  readonly isolate?: boolean;
}

function project(
  name: string,
  include: readonly string[],
  { globalSetup, testTimeout = TEST_TIMEOUT_MS, retry = 0, isolate = true }: ProjectOptions = {},
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [...include],
      // `include` lists files, not patterns, so vitest does not search the whole tree again.
      root: import.meta.dirname,
      setupFiles: [
        'packages/embedded-postgres/test/support/setup.ts',
        ...(globalSetup === undefined ? [] : ['service/test/statements/setup.ts']),
      ],
      testTimeout,
      retry,
      isolate,
      hookTimeout: HOOK_TIMEOUT_MS,
      expect: { poll: { timeout: POLL_TIMEOUT_MS, interval: POLL_INTERVAL_MS } },
      ...(globalSetup === undefined ? {} : { globalSetup: [globalSetup] }),
    },
  };
}

/** Projects for tests that share modules, for other tests, and, with retries, for those that drive a process. */
const projectsOf = (name: string, include: readonly string[], globalSetup?: string) => {
  const options = globalSetup === undefined ? {} : { globalSetup };
  const groups = Map.groupBy(include, (file) =>
    drivesProcess(file) ? 'processes' : sharesModules(file) ? 'shared modules' : 'others',
  );
  return [
    project(`${name}, shared modules`, groups.get('shared modules') ?? [], { ...options, isolate: false }),
    project(name, groups.get('others') ?? [], options),
    project(`${name}, processes`, groups.get('processes') ?? [], { ...options, retry: RETRIES }),
  ];
};

const projects = [
  ...projectsOf('no database', withoutDatabase),
  ...projectsOf('embedded 18', withDatabase, `${HARNESS}/postgres/embedded-18.ts`),
];
if (inBrowser.length > 0) {
  const globalSetup = 'dashboard/test/harness/setup.ts';
  projects.push(
    project('browser', inBrowser, { globalSetup, testTimeout: BROWSER_TEST_TIMEOUT_MS, retry: RETRIES }),
  );
}
if (existsSync(POSTGRESQL_15)) {
  const onBoth = withDatabase.filter((file) => !ON_PACKAGED_ONLY.some((path) => file.startsWith(path)));
  projects.push(...projectsOf('external 15', onBoth, `${HARNESS}/postgres/external-15.ts`));
} else {
  process.stderr.write(`${POSTGRESQL_15} is not there: the tests run only on the packaged PostgreSQL\n`);
}

// A running cluster of Citus, which this repository does not start (docs/scale.md).
if (process.env['SVC_TEST_CITUS_URL'] !== undefined)
  projects.push(...projectsOf('citus', withDatabase, `${HARNESS}/postgres/citus.ts`));

/**
 * Three workers for two cores, although vitest by default leaves a core free: tests wait for PostgreSQL, a process or a
 * timer about half of the time. With three instead of two, 435 tests took 179 s instead of 221 on two cores.
 */
const WORKERS = Math.ceil(availableParallelism() * 1.5);

// A proof runs in one worker.
export default defineConfig({
  test: {
    projects: projects.filter(({ test }) => (test?.include ?? []).length > 0),
    maxWorkers: PROOF === undefined ? WORKERS : 1,
    // Of tests that say that they are concurrent.
    maxConcurrency: availableParallelism(),
  },
});
