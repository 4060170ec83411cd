import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DATABASE, ROLE } from './cluster.ts';

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

/** The URL of the service's database on a socket, as `pg` and libpq understand it. */
export function socketUrl(socketDirectory: string, password: string): string {
  const host = socketDirectory.split('/').map(encodeURIComponent).join('/');
  return `postgres://${ROLE}:${password}@/${DATABASE}?host=${host}`;
}
