import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { ensureDirectory, fileError } from './files.ts';
import { type Layout, layoutOf } from './layout.ts';

/** May be passed by everybody, so that the server's user reaches its part; the files in it guard themselves. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;

/** The layout of a data directory that is there, or undefined. Its paths have no symbolic link in them. */
export async function findDataDirectory(dataDir: string): Promise<Layout | undefined> {
  try {
    return layoutOf(await realpath(dataDir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw await fileError(`the data directory ${resolve(dataDir)} cannot be opened`, dataDir, error);
  }
}

/** The same, making the directory if it is not there. The mode of one that is there is the operator's choice. */
export async function ensureDataDirectory(dataDir: string): Promise<Layout> {
  const path = resolve(dataDir);
  try {
    await makeDirectories(path);
    return layoutOf(await realpath(path));
  } catch (error) {
    throw await fileError(`the data directory ${path} cannot be made`, path, error);
  }
}

/** Not `mkdir` with `recursive`: on a read-only file system that says ENOENT. */
async function makeDirectories(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectories(dirname(path));
    await makeDirectory(path);
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, PASSABLE);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

/** Makes the directory of the socket, which only the server's user may enter (and root, when that is us). */
export async function ensureSocketDirectory(layout: Layout, account: Account | undefined): Promise<void> {
  const path = layout.socketDirectory;
  if (path.startsWith(`${layout.dataDir}/`)) return ensureDirectory(path, PRIVATE, account);
  // In a directory that is shared with everybody a name can be taken by somebody else.
  try {
    await mkdir(path, { mode: PRIVATE });
    if (account !== undefined) await chown(path, account.uid, account.gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw await fileError(`the directory ${path} cannot be made`, path, error);
    await refuseForeignDirectory(path, account?.uid ?? process.getuid?.());
  }
}

async function refuseForeignDirectory(path: string, uid: number | undefined): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  throw new EmbeddedError(
    `${path}, the directory for the database's socket, is not a private directory of the user ${uid}. ` +
      'Remove it, or set SVC_DATA_DIR to a shorter path, where the socket fits.',
  );
}
