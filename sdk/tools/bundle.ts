import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The folder and the name of the package of a module. */
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

/**
 * Replaces a built module by one file that also contains the packages that it imports, so that the package has no
 * dependencies. The modules of this package stay imports. Writes the licences of the contained packages next to it.
 */
export async function bundleDependencies(module: string): Promise<void> {
  const bundle = await rolldown({
    input: module,
    platform: 'node',
    external: (id, importer) => id.startsWith('.') && importer === module,
    onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
  });
  const { output } = await bundle.write({ file: module, format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  const contained = new Map(
    output
      .flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
      .flatMap((id) => {
        const [folder, name] = PACKAGE.exec(id) ?? [];
        return folder === undefined || name === undefined ? [] : [[name, folder] as const];
      }),
  );
  const licences = [...contained].sort().map(([name, folder]) => {
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
    if (file === undefined) throw new Error(`${name} has no licence.`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  writeFileSync(module.replace(/\.js$/, '.LICENSES.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));
}
