import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, RUNTIMES, RUNTIMES_DIRECTORY } from './runtimes/table.ts';

// `npm run runtimes` tests the packed client library on every runtime that it supports. Installs the runtimes once, with
// npm, into a separate folder. The suite has the same tests; it skips the runtimes that are not installed.

const ROOT = join(import.meta.dirname, '..');
const TESTS = 'sdk/test/package/runtimes.test.ts';
const PROJECT = 'embedded 18*';

function install(): void {
  const dependencies = Object.fromEntries(
    RUNTIMES.map(({ program, npm }) => [program, `npm:${npm.package}@${npm.release}`]),
  );
  // These packages install their programs with scripts.
  const allowScripts = Object.fromEntries(RUNTIMES.map(({ npm }) => [npm.package, true]));
  mkdirSync(RUNTIMES_DIRECTORY, { recursive: true });
  writeFileSync(
    join(RUNTIMES_DIRECTORY, 'package.json'),
    `${JSON.stringify({ name: 'runtimes', private: true, dependencies, allowScripts }, null, 2)}\n`,
  );
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--no-workspaces'], {
    cwd: RUNTIMES_DIRECTORY,
    stdio: 'inherit',
  });
}

if (!RUNTIMES.every(isInstalled)) {
  console.log(`installing ${RUNTIMES.map(({ name, npm }) => `${name} (${npm.release})`).join(', ')} …`);
  install();
}
const missing = RUNTIMES.filter((runtime) => !isInstalled(runtime)).map(({ name }) => name);
if (missing.length > 0) throw new Error(`npm did not install ${missing.join(', ')}`);

execFileSync(
  join(ROOT, 'node_modules/.bin/vitest'),
  ['run', '--project', PROJECT, '--reporter=verbose', TESTS],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, SVC_EVERY_RUNTIME: 'yes' } },
);
