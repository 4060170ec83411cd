import { mkdtemp, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../account/account.ts';
import type { Layout } from '../directory/data-directory.ts';
import { fileError } from '../directory/files.ts';
import type { DirectoryLock } from '../directory/lock.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { createCluster } from './create.ts';
import { ensurePassword } from './password.ts';
import { type Binaries, PACKAGED_MAJOR_VERSION } from './programs.ts';

const BYTES_PER_MIB = 1024 * 1024;
/** A new cluster takes 40 MiB, and its first write-ahead log 16 MiB more. Below this limit no data would fit. */
const NEW_CLUSTER_MIB = 128;
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
 * Creates the cluster if there is none. Throws EmbeddedError on a cluster of another major version. Creates the cluster
 * under another name and renames it then, so a start that is killed leaves no unfinished cluster in its place.
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

async function isCluster(layout: Layout): Promise<boolean> {
  const version = await clusterVersion(layout);
  if (version === undefined) return false;
  if (version === PACKAGED_MAJOR_VERSION) return true;
  throw new EmbeddedError(
    `${layout.pgdata} was created by PostgreSQL ${version}, but this program has PostgreSQL ${PACKAGED_MAJOR_VERSION}. ` +
      `Export the data with the program that created it and import it into an empty data directory, or run ` +
      `pg_upgrade, or serve it with a PostgreSQL ${version} and set SVC_DATABASE_URL.`,
  );
}

async function clusterVersion({ pgdata }: Layout): Promise<string | undefined> {
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

async function refuseFullDisk({ dataDir }: Layout): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = Math.floor((bavail * bsize) / BYTES_PER_MIB);
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

/** Writes a rename in this directory to the disk, so that it survives a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
