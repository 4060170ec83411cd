import { constants } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { EmbeddedError, errorCode } from '../errors.ts';
import type { Layout } from './data-directory.ts';
import { fileError, openUnlinked } from './files.ts';

/**
 * The lock of a data directory: an operating system's lock on the file `postgres.lock`. The kernel holds it for
 * the open file, not for a process: every program that inherits the descriptor keeps it, and it is free when the
 * last of them has ended, however it ended. It works across containers, whose process ids say nothing here.
 */
export type DirectoryLock = {
  /** For the programs that keep the lock after this process. */
  readonly fd: number;
  /** Closes this process's descriptor. The lock is free once no program has inherited it, or all have ended. */
  readonly release: () => Promise<void>;
};

/** No link is followed: root opens this in a directory that may belong to another user. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_ONLY = 0o600;
const LONGEST_HOLDER_BYTES = 200;

/** Takes the lock; undefined while another process has it. `purpose` is what the others read about this one. */
export async function tryLock(layout: Layout, purpose: string): Promise<DirectoryLock | undefined> {
  const file = await openLockFile(layout);
  try {
    if ((await lockFile(file, layout)) && (await isInPlace(file, layout))) {
      await introduce(file, purpose);
      return { fd: file.fd, release: () => file.close() };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

/** Who took the lock last, for a message. It may be gone: its PostgreSQL keeps the lock. */
export async function lockHolder(layout: Layout): Promise<string> {
  const file = await openLockFile(layout);
  try {
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(LONGEST_HOLDER_BYTES),
      position: 0,
    });
    return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] || 'another process';
  } finally {
    await file.close();
  }
}

async function openLockFile(layout: Layout): Promise<FileHandle> {
  try {
    const file = await openUnlinked(layout.lockFile, FLAGS, OWNER_ONLY);
    try {
      await keepOwner(file, layout);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw await fileError(`the data directory ${layout.dataDir} cannot be written to`, layout.dataDir, error);
  }
}

/**
 * A lock file that root makes belongs to the owner of the directory, who starts the next service perhaps. A new one is
 * empty: one with a content could be a file of root that this owner kept by a hard link.
 */
async function keepOwner(file: FileHandle, { dataDir }: Layout): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const [{ uid, gid }, found] = await Promise.all([stat(dataDir), file.stat()]);
  if (found.uid === 0 && found.size === 0 && uid !== 0) await file.chown(uid, gid);
}

async function lockFile(file: FileHandle, { dataDir }: Layout): Promise<boolean> {
  try {
    // Loaded here, since an external database needs it neither on this platform nor on another one.
    const { tryLock: lock } = (await import('fs-native-extensions')).default;
    return lock(file.fd);
  } catch (error) {
    throw new EmbeddedError(
      `the data directory ${dataDir} cannot be locked (${errorCode(error) ?? String(error)}). Its file system must ` +
        'have locks: set SVC_DATA_DIR to a local disk, or set SVC_DATABASE_URL.',
      { cause: error },
    );
  }
}

/** False when the file was removed or replaced after it was opened: a lock on it would protect nothing. */
async function isInPlace(file: FileHandle, { lockFile: path }: Layout): Promise<boolean> {
  const opened = await file.stat({ bigint: true });
  const present = await stat(path, { bigint: true }).catch(() => undefined);
  return present?.ino === opened.ino && present.dev === opened.dev;
}

/** Only a help for people, so a full disk is not in its way. */
async function introduce(file: FileHandle, purpose: string): Promise<void> {
  const text = `${purpose} (pid ${process.pid}) on ${hostname()}\n`;
  try {
    await file.truncate(0);
    await file.write(text, 0);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')) throw error;
  }
}
