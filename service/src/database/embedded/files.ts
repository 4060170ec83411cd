import { chmod, chown, mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import type { Account } from './account.ts';
import { EmbeddedError, errorCode, errorMessage } from './error.ts';

const BYTES_PER_MIB = 1024 * 1024;

/** Makes a directory of this mode (or sets the mode of the one that is there), owned by the account. */
export async function ensureDirectory(path: string, mode: number, account?: Account): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode });
    await chmod(path, mode);
    if (account !== undefined) await chown(path, account.uid, account.gid);
  } catch (error) {
    throw await fileError(`the directory ${path} cannot be made`, path, error);
  }
}

/** Proves that files can be written here, by writing one and syncing it. */
export async function ensureWritable(directory: string): Promise<void> {
  const probe = `${directory}/.write-probe-${process.pid}`;
  try {
    const file = await open(probe, 'w');
    try {
      await file.write('probe');
      await file.sync();
    } finally {
      await file.close();
      await rm(probe, { force: true });
    }
  } catch (error) {
    throw await fileError(`the data directory ${directory} cannot be written to`, directory, error);
  }
}

/** An EmbeddedError that says what the operating system's refusal means and what to do about it. */
export async function fileError(what: string, path: string, error: unknown): Promise<EmbeddedError> {
  return new EmbeddedError(`${what}: ${await remedy(path, error)}`, { cause: error });
}

async function remedy(path: string, error: unknown): Promise<string> {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk is full (${await freeSpace(path)}). Make room, or set SVC_DATA_DIR to another disk.`;
    case 'EROFS':
      return 'the file system is read-only. Mount it for writing, or set SVC_DATA_DIR to another place.';
    case 'EACCES':
    case 'EPERM':
      return `permission denied for the user ${process.getuid?.() ?? 'of this process'}. Give it the directory (chown), or set SVC_DATA_DIR to another place.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return 'a file is in its place. Move the file away, or set SVC_DATA_DIR to another place.';
    default:
      return errorMessage(error);
  }
}

async function freeSpace(path: string): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(path);
    return `${Math.floor((bavail * bsize) / BYTES_PER_MIB)} MiB free`;
  } catch {
    return 'nothing free';
  }
}

/** Whether anything is at this path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}
