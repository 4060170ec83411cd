import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedError, errorCode } from '../errors.ts';
import { ensureDirectory, fileError, type Owner } from './files.ts';

/** May be passed by everybody, so that the server's user reaches its part; the files in it guard themselves. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;

/** `sun_path` has 104 bytes on macOS and 108 on Linux, with the final zero. */
const LONGEST_SOCKET_PATH_BYTES = 100;
/** The socket's name for PostgreSQL's default port. */
const SOCKET_NAME = '.s.PGSQL.5432';
const HASH_CHARACTERS = 16;

/** Where everything of the embedded server is. All paths are absolute. */
export type Layout = {
  readonly dataDir: string;
  /** PGDATA: the cluster. */
  readonly pgdata: string;
  /** The server's configuration: as root the server cannot write to it. */
  readonly configDirectory: string;
  readonly passwordFile: string;
  /** A process that holds the operating system's lock on it may start a server. Never removed. */
  readonly lockFile: string;
  /** What the server says; the file before it is kept as `.old`. */
  readonly logFile: string;
  readonly socketDirectory: string;
};

/** The layout of a data directory. Touches nothing. */
export function layoutOf(dataDir: string): Layout {
  const root = resolve(dataDir);
  return {
    dataDir: root,
    pgdata: join(root, 'postgres'),
    configDirectory: join(root, 'postgres.config'),
    passwordFile: join(root, 'postgres.password'),
    lockFile: join(root, 'postgres.lock'),
    logFile: join(root, 'postgres.log'),
    socketDirectory: socketDirectoryOf(root),
  };
}

/** `run` in the data directory, or a short path that is derived from it where that one would be too long. */
function socketDirectoryOf(dataDir: string): string {
  const inside = join(dataDir, 'run');
  if (Buffer.byteLength(join(inside, SOCKET_NAME)) <= LONGEST_SOCKET_PATH_BYTES) return inside;
  return join(tmpdir(), shortSocketDirectoryName(dataDir));
}

/** The name of the socket's directory where that is not in the data directory. */
export function shortSocketDirectoryName(dataDir: string): string {
  return `svc-${createHash('sha256').update(dataDir).digest('hex').slice(0, HASH_CHARACTERS)}`;
}

/** The socket in its directory. */
export function socketFile(socketDirectory: string): string {
  return join(socketDirectory, SOCKET_NAME);
}

/** What PostgreSQL puts beside its socket. */
export function socketLockFile(layout: Layout): string {
  return `${socketFile(layout.socketDirectory)}.lock`;
}

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
export async function ensureSocketDirectory(layout: Layout, owner: Owner | undefined): Promise<void> {
  const path = layout.socketDirectory;
  if (path.startsWith(`${layout.dataDir}/`)) return ensureDirectory(path, PRIVATE, owner);
  // In a directory that is shared with everybody a name can be taken by somebody else.
  try {
    await mkdir(path, { mode: PRIVATE });
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw await fileError(`the directory ${path} cannot be made`, path, error);
    await refuseForeignDirectory(path, owner?.uid ?? process.getuid?.());
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
