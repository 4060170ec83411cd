import { constants } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { EmbeddedError, hasCode, messageOf } from '../errors.ts';

const BYTES_PER_MIB = 1024 * 1024;
const OWNER_ONLY = 0o600;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** The user and group that a file is given to. */
export type Owner = { readonly uid: number; readonly gid: number };

/** Creates a directory with this mode and owner. Sets both if the directory exists. */
export async function ensureDirectory(path: string, mode: number, owner?: Owner): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode });
    await setDirectory(path, mode, owner);
  } catch (error) {
    throw await fileError(`the directory ${path} cannot be created`, path, error);
  }
}

/**
 * Sets the mode of a directory, and its owner if `owner` is given. With an owner, follows no link: root also works in data
 * directories of other users, who could put a link to any directory there.
 */
export async function setDirectory(path: string, mode: number, owner: Owner | undefined): Promise<void> {
  if (owner === undefined) return chmod(path, mode);
  const directory = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    await directory.chown(owner.uid, owner.gid);
    await directory.chmod(mode);
  } finally {
    await directory.close();
  }
}

/**
 * Opens a file. Fails for root if it is a symbolic or a hard link: in the data directory of another user, such a link
 * could lead to any file. Other users have only their own rights, so they may follow links.
 */
export async function openUnlinked(path: string, flags: number, mode: number): Promise<FileHandle> {
  if (process.getuid?.() !== 0) return open(path, flags, mode);
  const file = await open(path, flags | O_NOFOLLOW, mode);
  try {
    if ((await file.stat()).nlink <= 1) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new EmbeddedError(`${path} is a hard link, and root uses no hard links. Remove it.`);
}

/** Opens a new file for writing. Removes a file or link that an earlier process left at this path. */
export async function openNew(path: string, mode: number): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', mode);
}

/**
 * Gives a file that root has created in a data directory to the owner of the directory, so that the owner can start the
 * next service. Does so only if the file is empty: a file with content could be a hard link of this owner to a file of root.
 */
export async function keepOwner(file: FileHandle, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const [{ uid, gid }, found] = await Promise.all([stat(dataDir), file.stat()]);
  if (found.uid === 0 && found.size === 0 && uid !== 0) await file.chown(uid, gid);
}

/** Writes a rename in this directory to the disk, so that it survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Fails unless a file can be written to this directory and synced. */
export async function ensureWritable(directory: string): Promise<void> {
  const probe = `${directory}/.write-probe-${process.pid}`;
  try {
    const file = await openNew(probe, OWNER_ONLY);
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

/** The error for a failed file operation: `what`, the meaning of the operating system's error, and what to do. */
export async function fileError(what: string, path: string, error: unknown): Promise<EmbeddedError> {
  return new EmbeddedError(`${what}: ${await remedy(path, error)}`, { cause: error });
}

async function remedy(path: string, error: unknown): Promise<string> {
  if (hasCode(error, 'ENOSPC', 'EDQUOT'))
    return `the disk is full (${await freeSpace(path)}). Make room, or set SVC_DATA_DIR to another disk.`;
  if (hasCode(error, 'EROFS'))
    return 'the file system is read-only. Mount it for writing, or set SVC_DATA_DIR to another place.';
  if (hasCode(error, 'EACCES', 'EPERM'))
    return `permission denied for the user ${process.getuid?.() ?? 'of this process'}. Give it the directory (chown), or set SVC_DATA_DIR to another place.`;
  if (hasCode(error, 'EEXIST', 'ENOTDIR'))
    return 'a file is in its place. Move the file away, or set SVC_DATA_DIR to another place.';
  if (hasCode(error, 'ELOOP'))
    return 'a link is in its place, and root follows no links. Remove it, or set SVC_DATA_DIR to another place.';
  return messageOf(error);
}

const freeSpace = (path: string): Promise<string> =>
  freeMib(path).then(
    (free) => `${free} MiB free`,
    () => 'nothing free',
  );

/** The space that is free for files on the disk of a path, in MiB. */
export async function freeMib(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.floor((bavail * bsize) / BYTES_PER_MIB);
}
