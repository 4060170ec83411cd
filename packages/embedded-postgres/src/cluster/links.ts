import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EmbeddedError, hasCode } from '../errors.ts';

/** Paths in the folder of the package: `target` is the link to `source`. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/** The links are missing, and this user cannot create them. */
export class NoLinksError extends EmbeddedError {
  /** The folder without its links. */
  readonly native: string;

  constructor(native: string, cause: unknown) {
    super(
      `the PostgreSQL in ${native} is incomplete, because npm ran no install script. Run this command once as a user who ` +
        `can write there, or install again with --allow-scripts (npm 12) or without --ignore-scripts.`,
      { cause },
    );
    this.native = native;
  }
}

/**
 * Creates the links between the shared libraries of a packaged PostgreSQL in its folder `native`. npm packs no links, so a
 * script of the package creates them, but npm can be told to run no scripts. Throws NoLinksError if it cannot write there.
 */
export async function createLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '[]';
    throw error;
  });
  // Their paths begin with `native/`.
  const folder = (path: string): string => join(native, relative('native', path));
  await Promise.all(
    (JSON.parse(list) as readonly Link[]).map(({ source, target }) =>
      symlink(relative(dirname(target), source), folder(target)).catch((error: unknown) => {
        if (hasCode(error, 'EEXIST')) return;
        if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw new NoLinksError(native, error);
        throw error;
      }),
    ),
  );
}
