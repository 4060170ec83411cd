import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../svcd/package.json' with { type: 'json' };
import { OLDEST_NODE } from '../svcd/src/node-version.ts';
import { build } from './pack/build.ts';
import { versionsOf } from './pack/dependencies.ts';
import { copyPages, PAGE_FOLDERS } from './pack/pages.ts';

// `npm run pack` creates svc-VERSION.tgz: the service and both command lines for `npm install -g`, without the tools of
// development. `--to FOLDER` creates it there.

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { to: { type: 'string', default: '.' } } });

const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'));
try {
  await build(join(folder, 'dist'));
  const { version, license } = manifest;
  const published = {
    name: 'svc',
    version,
    description: 'Self-hostable workspace data service',
    license,
    type: 'module',
    engines: { node: `>=${OLDEST_NODE}` },
    bin: { svcd: 'dist/svcd/src/svcd.js', svc: 'dist/sdk/src/cli/main.js' },
    files: ['dist', ...PAGE_FOLDERS],
    dependencies: versionsOf('dependencies'),
    optionalDependencies: versionsOf('optionalDependencies'),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(ROOT, 'svcd/README.md'), join(folder, 'README.md'));
  copyPages(folder);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(values.to)], {
    cwd: folder,
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
