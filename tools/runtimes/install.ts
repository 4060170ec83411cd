import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, RUNTIMES, RUNTIMES_DIRECTORY } from './table.ts';

/** Installs the runtimes once, with npm, into a separate folder. */
export function installRuntimes(): void {
  if (RUNTIMES.every(isInstalled)) return;
  console.log(`installing ${RUNTIMES.map(({ name, npm }) => `${name} (${npm.release})`).join(', ')} …`);
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
  const missing = RUNTIMES.filter((runtime) => !isInstalled(runtime)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`npm did not install ${missing.join(', ')}`);
}
