import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * In this repository the package is used without a build, so its package.json names the sources. npm packs package.json
 * unchanged. `pack` therefore replaces it by one that names the built files, and `restore` undoes that. The addresses of the
 * repository are in the package.json of the root, if there are any: `repository` (an object), `homepage` and `bugs`.
 */

const sdk = join(import.meta.dirname, '..');
const manifest = join(sdk, 'package.json');
const source = join(sdk, 'package.source.json');
const license = join(sdk, 'LICENSE');

const built = (path: string): string => path.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1.js');

function pack(): void {
  // Undo an earlier run that was interrupted.
  if (existsSync(source)) restore();
  const {
    exports,
    bin,
    scripts: _,
    devDependencies: __,
    ...rest
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  const { repository, homepage, bugs } = JSON.parse(readFileSync(join(sdk, '../package.json'), 'utf8'));
  const main = built(exports['.']);
  const published = {
    ...rest,
    ...(repository === undefined ? {} : { repository: { ...repository, directory: 'sdk' } }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(bugs === undefined ? {} : { bugs }),
    exports: {
      '.': { types: main.replace(/\.js$/, '.d.ts'), default: main },
      './package.json': './package.json',
    },
    types: main.replace(/\.js$/, '.d.ts'),
    bin: { svc: built(bin.svc) },
  };
  renameSync(manifest, source);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(sdk, '../LICENSE'), license);
}

function restore(): void {
  renameSync(source, manifest);
  rmSync(license, { force: true });
}

const [command] = process.argv.slice(2);
if (command === 'pack') pack();
else if (command === 'restore') restore();
else throw new Error('node manifest.ts pack|restore');
