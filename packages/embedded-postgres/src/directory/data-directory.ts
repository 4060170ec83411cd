import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedError, hasCode } from '../errors.ts';
import { ensureDirectory, fileError, type Owner } from './files.ts';

/** Everyone may enter, so that the server's user can reach its files. Each file has its own permissions. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;

/** A socket's path (`sun_path`) has at most 104 bytes on macOS and 108 on Linux, including the final zero. */
const LONGEST_SOCKET_PATH_BYTES = 100;
/** The name of the socket for PostgreSQL's default port. */
/** The port of the server. It is only a part of the socket's name. */
export const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;
const HASH_CHARACTERS = 16;

/** The paths of a data directory. All are absolute. */
export type Layout = {
  readonly dataDir: string;
  /** PGDATA: the cluster. */
  readonly pgdata: string;
  /** The server's configuration. If root starts the server, the server cannot write here. */
  readonly configDirectory: string;
  readonly passwordFile: string;
  /** Only the process that has the lock on this file may start a server. Never removed. */
  readonly lockFile: string;
  /** The server's log. The previous file is kept as `.old`. */
  readonly logFile: string;
  readonly socketDirectory: string;
  /** A copy of the programs, if the installed ones cannot be used. */
  readonly programsDirectory: string;
};

/** The layout of a data directory. Reads and writes nothing. */
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
    programsDirectory: join(root, 'postgres.programs'),
  };
}

/**
 * `run` in the data directory. If that path is too long for a socket, or has a comma, which divides directories in a setting
 * and hosts in a URL: a short path derived from it.
 */
function socketDirectoryOf(dataDir: string): string {
  const inside = join(dataDir, 'run');
  const fits = Buffer.byteLength(join(inside, SOCKET_NAME)) <= LONGEST_SOCKET_PATH_BYTES;
  if (fits && !inside.includes(',')) return inside;
  return join(tmpdir(), shortSocketDirectoryName(dataDir));
}

/** The name of the socket's directory if it is outside of the data directory. */
export function shortSocketDirectoryName(dataDir: string): string {
  return `svc-${createHash('sha256').update(dataDir).digest('hex').slice(0, HASH_CHARACTERS)}`;
}

/** The path of the socket in its directory. */
export function socketFile(socketDirectory: string): string {
  return join(socketDirectory, SOCKET_NAME);
}

/** The file that PostgreSQL puts next to its socket. */
export function socketLockFile(layout: Layout): string {
  return `${socketFile(layout.socketDirectory)}.lock`;
}

/** The layout of an existing data directory, without symbolic links in its paths. Undefined if there is none. */
export async function findDataDirectory(dataDir: string): Promise<Layout | undefined> {
  try {
    return layoutOf(await realpath(dataDir));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw await fileError(`the data directory ${resolve(dataDir)} cannot be opened`, dataDir, error);
  }
}

/** Creates the data directory if there is none. Keeps the mode of an existing one, which the operator chose. */
export async function ensureDataDirectory(dataDir: string): Promise<Layout> {
  const path = resolve(dataDir);
  try {
    await makeDirectories(path);
    return layoutOf(await realpath(path));
  } catch (error) {
    throw await fileError(`the data directory ${path} cannot be created`, path, error);
  }
}

/** `mkdir` with `recursive` would fail with ENOENT on a read-only file system, which hides the reason. */
async function makeDirectories(path: string): Promise<void> {
  try {
    await makeDirectory(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeDirectories(dirname(path));
    await makeDirectory(path);
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, PASSABLE);
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !(await stat(path)).isDirectory()) throw error;
  }
}

/** Creates the directory of the socket. Only the server's user, and root, can enter it. */
export async function ensureSocketDirectory(layout: Layout, owner: Owner | undefined): Promise<void> {
  const path = layout.socketDirectory;
  if (path.startsWith(`${layout.dataDir}/`)) return ensureDirectory(path, PRIVATE, owner);
  // The directory for temporary files is shared, so the name may already belong to another user.
  try {
    await mkdir(path, { mode: PRIVATE });
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  } catch (error) {
    if (!hasCode(error, 'EEXIST'))
      throw await fileError(`the directory ${path} cannot be created`, path, error);
    await refuseForeignDirectory(path, owner?.uid ?? process.getuid?.());
  }
}

async function refuseForeignDirectory(path: string, uid: number | undefined): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  throw new EmbeddedError(
    `${path}, the directory for the database's socket, is not a private directory of the user ${uid}. ` +
      'Remove it, or set SVC_DATA_DIR to a shorter path.',
  );
}
