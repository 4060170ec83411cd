import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installRuntimes } from './runtimes/install.ts';

// `npm run runtimes` tests the packed client library on every runtime that it supports. The suite has the same tests; it
// skips the runtimes that are not installed.

const ROOT = join(import.meta.dirname, '..');
const TESTS = 'sdk/test/package/runtimes.test.ts';
const PROJECT = 'embedded 18*';

installRuntimes();

execFileSync(
  join(ROOT, 'node_modules/.bin/vitest'),
  ['run', '--project', PROJECT, '--reporter=verbose', TESTS],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, SVC_EVERY_RUNTIME: 'yes' } },
);
