import { constants } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { EmbeddedError, hasCode } from '../errors.ts';
import type { Layout } from './data-directory.ts';
import { fileError, keepOwner, openUnlinked } from './files.ts';

/**
 * The lock of a data directory: the operating system's lock on the file `postgres.lock`. It belongs to the open file,
 * so every program that inherits the descriptor keeps it. The kernel frees it when the last of these programs ends,
 * even by kill -9. It also works between containers, where process ids do not.
 */
export type DirectoryLock = {
  /** Inherited by the programs that keep the lock after this process. */
  readonly fd: number;
  /** Closes the descriptor of this process. The lock is free when no program that inherited it runs. */
  readonly release: () => Promise<void>;
};

/** Follows no link: root opens this file in a directory that may belong to another user. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_ONLY = 0o600;
const LONGEST_HOLDER_BYTES = 200;

/** Takes the lock. Undefined if another process has it. Writes `purpose` to the file, for the messages of others. */
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

/** The process that took the lock last, for a message. It may have ended: its PostgreSQL keeps the lock. */
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
      await keepOwner(file, layout.dataDir);
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

async function lockFile(file: FileHandle, { dataDir }: Layout): Promise<boolean> {
  try {
    // Loaded only here, because an external database does not need it and may run on other platforms.
    const { tryLock: lock } = (await import('fs-native-extensions')).default;
    return lock(file.fd);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new EmbeddedError(
      `the data directory ${dataDir} cannot be locked (${String(reason)}). Its file system must ` +
        'have locks: set SVC_DATA_DIR to a local disk, or set SVC_DATABASE_URL.',
      { cause: error },
    );
  }
}

/** False if the file was removed or replaced after it was opened. A lock on it would protect nothing. */
async function isInPlace(file: FileHandle, { lockFile: path }: Layout): Promise<boolean> {
  const opened = await file.stat({ bigint: true });
  const present = await stat(path, { bigint: true }).catch(() => undefined);
  return present?.ino === opened.ino && present.dev === opened.dev;
}

/** Writes the name of this process to the file. It is only for messages, so a full disk is no error. */
async function introduce(file: FileHandle, purpose: string): Promise<void> {
  const text = `${purpose} (pid ${process.pid}) on ${hostname()}\n`;
  try {
    await file.truncate(0);
    await file.write(text, 0);
  } catch (error) {
    if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
  }
}
