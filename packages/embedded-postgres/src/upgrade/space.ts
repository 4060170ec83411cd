import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NEW_CLUSTER_MIB } from '../cluster/initialise.ts';
import type { Layout } from '../directory/data-directory.ts';
import { freeMib } from '../directory/files.ts';
import { EmbeddedError } from '../errors.ts';

const BYTES_PER_MIB = 1024 * 1024;
/** The write-ahead log of the new server. `max_wal_size` limits it, see serverSettings. */
const LARGEST_WAL_MIB = 2048;

/**
 * Throws EmbeddedError unless there is space for a second copy of the data. Both copies stay until the operator removes
 * the old one. The write-ahead log of a copy has about the size of the data.
 */
export async function refuseSmallDisk({ dataDir, pgdata }: Layout): Promise<void> {
  const dataMib = Math.ceil((await sizeOf(join(pgdata, 'base'))) / BYTES_PER_MIB);
  const needed = NEW_CLUSTER_MIB + dataMib + Math.min(dataMib, LARGEST_WAL_MIB);
  const free = await freeMib(dataDir);
  if (free >= needed) return;
  throw new EmbeddedError(
    `there is not enough space on the disk of ${dataDir}: ${free} MiB are free, and the upgrade needs ${needed} MiB ` +
      `for a second copy of the data (${dataMib} MiB). Nothing was changed.`,
  );
}

/** The bytes of the files in a directory. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
