import { execFileSync } from 'node:child_process';
import { cpSync, globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type InputOptions, rolldown } from 'rolldown';
import { packClient } from '../../sdk/tools/pack.ts';
import { versionsOf } from './dependencies.ts';

const ROOT = join(import.meta.dirname, '../..');

const PROGRAMS = ['svcd/src/svcd.ts', 'service/src/main.ts', 'sdk/src/cli/main.ts'];
/** What the modules read, besides modules. */
const FILES = [
  'CHANGELOG.md',
  'docs/errors.md',
  'docs/guides',
  'packages/docs-pages/assets',
  'sdk/README.md',
  'service/migrations',
];
/** npm packs no folder with the name node_modules. */
const BUILT_IN = 'built-in';
/** The folder and the name of the package of a module. */
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

/**
 * Builds the service, its command line and that of the client as JavaScript, because Node.js runs no TypeScript below
 * node_modules. Each module stays a file, and `dist` has the folders of this repository, so modules find their files as
 * they do here.
 */
export async function build(dist: string): Promise<void> {
  const installed = Object.keys(versionsOf('dependencies'));
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    // The CommonJS of a package that also has modules would stay CommonJS, with wrappers for what it imports.
    resolve: { mainFields: ['module', 'main'] },
    // Some modules are imported for what they do.
    treeshake: false,
    input: PROGRAMS,
    external: (id) => isBuiltin(id) || installed.some((name) => id === name || id.startsWith(`${name}/`)),
    onLog: refuseUnresolved,
  });
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: ROOT,
    entryFileNames: ({ name }) => `${name.replaceAll('node_modules', BUILT_IN)}.js`,
  });
  await bundle.close();
  for (const chunk of output)
    if (chunk.type === 'chunk') copyLicence(chunk.facadeModuleId, join(dist, BUILT_IN));
  for (const file of FILES) cpSync(join(ROOT, file), join(dist, file), { recursive: true });
  packClient(join(dist, 'sdk/package'));
  execFileSync(
    'npm',
    [
      'run',
      '--silent',
      'build',
      '-w',
      'dashboard',
      '--',
      '--outDir',
      join(dist, 'dashboard/dist'),
      '--emptyOutDir',
    ],
    { cwd: ROOT, stdio: 'inherit' },
  );
}

/**
 * Fails if a module cannot be found, for example because `npm install` has not run since a package was added. Otherwise the
 * import would stay as it is, and the packed service would not start.
 */
export const refuseUnresolved: NonNullable<InputOptions['onLog']> = (level, log, handle) =>
  handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);

/** Copies the licence of the package that a built-in module is from. */
function copyLicence(module: string | null, to: string): void {
  const [folder, name] = PACKAGE.exec(module ?? '') ?? [];
  if (folder === undefined || name === undefined) return;
  for (const file of globSync('{LICENSE,LICENCE,license}*', { cwd: folder }))
    cpSync(join(folder, file), join(to, name, file));
}
