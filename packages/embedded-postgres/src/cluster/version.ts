import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layout } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import { PACKAGED_MAJOR_VERSION } from './programs.ts';

/** A cluster was created by another major version of PostgreSQL. `problem` says so, and `remedy` says what to do. */
export class OtherMajorVersionError extends EmbeddedError {
  override readonly name = 'OtherMajorVersionError';
  readonly problem: string;
  readonly remedy: string;

  constructor({ pgdata }: Layout, major: string) {
    const problem = `${pgdata} was created by PostgreSQL ${major}, but this program has PostgreSQL ${PACKAGED_MAJOR_VERSION}`;
    const remedy =
      Number(major) < Number(PACKAGED_MAJOR_VERSION)
        ? 'to move the data to this version, stop the service and run svcd upgrade-database'
        : `use the release of this program that has PostgreSQL ${major}`;
    super(`${problem}: ${remedy}.`);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/**
 * The major version of PostgreSQL that created the cluster: `18`. Undefined if there is no cluster. Throws EmbeddedError
 * if there are other files in its place.
 */
export async function clusterMajor({ pgdata }: Layout): Promise<string | undefined> {
  try {
    return (await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw await fileError(`${pgdata} cannot be read`, pgdata, error);
  }
  const entries = await readdir(pgdata).catch(() => []);
  if (entries.length === 0) return undefined;
  throw new EmbeddedError(
    `${pgdata} holds files but no PostgreSQL database (it has no PG_VERSION). ` +
      'Restore it, or move it away to start with an empty database.',
  );
}

/** Whether there is a cluster. Throws OtherMajorVersionError unless it is one of the packaged PostgreSQL. */
export async function isCluster(layout: Layout): Promise<boolean> {
  const major = await clusterMajor(layout);
  if (major !== undefined && major !== PACKAGED_MAJOR_VERSION)
    throw new OtherMajorVersionError(layout, major);
  return major !== undefined;
}
