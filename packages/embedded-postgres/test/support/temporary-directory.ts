import { chmod, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onFileEnd } from './cleanup.ts';

/** Everyone may enter, so that the user of PostgreSQL can reach the files in it if root runs the tests. */
const MODE = 0o711;

/** The permission bit that lets everyone enter a directory. */
const EVERYBODY = 0o001;

/** The path of a socket has at most some 100 bytes. If TMPDIR is longer than this, the directory is in /tmp. */
const LONGEST_PARENT_BYTES = 48;

/** A directory whose files are in memory, on Linux. */
const MEMORY_DIRECTORY = '/dev/shm';
const BYTES_PER_GIB = 1024 ** 3;
/** With less free space than this it is not used. A container has 64 MiB. */
const MEMORY_BYTES = 1 * BYTES_PER_GIB;

/**
 * The parent directory for databases: in memory, if there is space. Creating and cloning a database there takes a
 * tenth of the time. After kill -9 the files are the same as on a disk, because written files survive the process.
 */
export async function fastDirectory(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_DIRECTORY);
    if (bavail * bsize >= MEMORY_BYTES) return MEMORY_DIRECTORY;
  } catch {
    // This is not Linux.
  }
  return tmpdir();
}

/** A new directory. The caller removes it. */
export async function makeTemporaryDirectory(name: string, parent = tmpdir()): Promise<string> {
  const usable = Buffer.byteLength(parent) <= LONGEST_PARENT_BYTES && (await isPassable(parent));
  const path = await mkdtemp(join(usable ? parent : '/tmp', `${name}-`));
  await chmod(path, MODE);
  return path;
}

/** Whether the user of PostgreSQL may enter a directory and all directories above it. */
async function isPassable(path: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  if (((await stat(path)).mode & EVERYBODY) === 0) return false;
  return dirname(path) === path || isPassable(dirname(path));
}

/** A new directory for this test file. It is removed, with its content, after the last test. */
export async function temporaryDirectory(parent?: string): Promise<string> {
  const path = await makeTemporaryDirectory('svc-test', parent);
  onFileEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}
