import { chmod, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onFileEnd } from './cleanup.ts';

/** May be passed by everybody, so that the user that PostgreSQL runs as under root reaches what is inside. */
const MODE = 0o711;

/** The bit that lets everybody pass a directory. */
const EVERYBODY = 0o001;

/** A socket in a temporary directory has to fit into some hundred bytes; with a longer TMPDIR it is in /tmp. */
const LONGEST_PARENT_BYTES = 48;

/** Where files are in memory, on a Linux. */
const MEMORY_DIRECTORY = '/dev/shm';
const BYTES_PER_GIB = 1024 ** 3;
/** With less room than this (a container has 64 MiB) it is not used. */
const MEMORY_BYTES = 1 * BYTES_PER_GIB;

/**
 * The parent for directories of databases: in memory, where there is room. Making and cloning a database there
 * takes a tenth of the time. What a kill -9 leaves is the same: files that are written survive the process.
 */
export async function fastDirectory(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_DIRECTORY);
    if (bavail * bsize >= MEMORY_BYTES) return MEMORY_DIRECTORY;
  } catch {
    // Not a Linux.
  }
  return tmpdir();
}

/** A new directory; the caller removes it. */
export async function makeTemporaryDirectory(name: string, parent = tmpdir()): Promise<string> {
  const usable = Buffer.byteLength(parent) <= LONGEST_PARENT_BYTES && (await isPassable(parent));
  const path = await mkdtemp(join(usable ? parent : '/tmp', `${name}-`));
  await chmod(path, MODE);
  return path;
}

/** Whether the user that PostgreSQL runs as may pass a directory and all above it. */
async function isPassable(path: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  if (((await stat(path)).mode & EVERYBODY) === 0) return false;
  return dirname(path) === path || isPassable(dirname(path));
}

/** A new directory for this test file, removed with everything in it when the file is over. */
export async function temporaryDirectory(parent?: string): Promise<string> {
  const path = await makeTemporaryDirectory('svc-test', parent);
  onFileEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}
