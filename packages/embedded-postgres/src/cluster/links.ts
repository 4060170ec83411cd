import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EmbeddedError, hasCode } from '../errors.ts';

/** Paths in the folder of the package: `target` is the link to `source`. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Creates the links between the shared libraries of a packaged PostgreSQL. npm packs no links, so a script of the package
 * creates them, but npm can be told to run no scripts.
 */
export async function createLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '[]';
    throw error;
  });
  await Promise.all(
    (JSON.parse(list) as readonly Link[]).map(({ source, target }) =>
      symlink(relative(dirname(target), source), join(folder, target)).catch((error: unknown) => {
        if (hasCode(error, 'EEXIST')) return;
        throw new EmbeddedError(
          `the packaged PostgreSQL is incomplete, because npm did not run its install script. Start the service once as ` +
            `a user who can write to ${folder}, or install again without --ignore-scripts.`,
          { cause: error },
        );
      }),
    ),
  );
}
