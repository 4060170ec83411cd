import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../account/account.ts';
import type { Layout } from '../directory/data-directory.ts';
import { fileError, freeMib, syncDirectory } from '../directory/files.ts';
import type { DirectoryLock } from '../directory/lock.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { createCluster } from './create.ts';
import { ensurePassword } from './password.ts';
import { type Binaries, PACKAGED_MAJOR_VERSION } from './programs.ts';
import { isCluster } from './version.ts';

/** A new cluster takes 40 MiB, and its first write-ahead log 16 MiB more. Below this limit no data would fit. */
export const NEW_CLUSTER_MIB = 128;
/** An unfinished cluster: `postgres.new-<pid>-<random>`. */
const DRAFT = /^postgres\.new-\d+-/;

type InitialiseOptions = {
  readonly layout: Layout;
  /** The programs that create the cluster inherit the lock. So a later holder of the lock finds only abandoned drafts. */
  readonly lock: DirectoryLock;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly log: Log;
};

/**
 * Creates the cluster if there is none. Throws OtherMajorVersionError on a cluster of another major version. Creates the
 * cluster under another name and renames it then, so a start that is killed leaves no unfinished cluster in its place.
 */
export async function ensureCluster(options: InitialiseOptions): Promise<void> {
  const { layout, lock, log } = options;
  if (await isCluster(layout)) return;
  await refuseFullDisk(layout);
  await removeAbandonedDrafts(layout);
  const started = performance.now();
  const password = await ensurePassword(layout);
  reached(log, 'password-created');
  const draft = await mkdtemp(join(layout.dataDir, `postgres.new-${process.pid}-`));
  try {
    reached(log, 'cluster-draft');
    await createCluster({ ...options, directory: draft, password, inherit: [lock.fd] });
    reached(log, 'cluster-complete');
    await rename(draft, layout.pgdata);
    await syncDirectory(layout.dataDir);
    reached(log, 'cluster-in-place');
    const ms = Math.round(performance.now() - started);
    log.info({ directory: layout.pgdata, ms }, `created a PostgreSQL ${PACKAGED_MAJOR_VERSION} database`);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST') && (await isCluster(layout))) return;
    if (error instanceof EmbeddedError) throw error;
    throw await fileError(`the database in ${layout.pgdata} cannot be created`, layout.dataDir, error);
  }
}

async function refuseFullDisk({ dataDir }: Layout): Promise<void> {
  const free = await freeMib(dataDir);
  if (free >= NEW_CLUSTER_MIB) return;
  throw new EmbeddedError(
    `the disk of the data directory ${dataDir} is full: ${free} MiB are free, a new database needs ` +
      `${NEW_CLUSTER_MIB} MiB. Make room, or set SVC_DATA_DIR to another disk.`,
  );
}

async function removeAbandonedDrafts({ dataDir }: Layout): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (DRAFT.test(name)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
