import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { clusterAccount } from '../account/account.ts';
import { DATABASE, ROLE } from '../cluster/create.ts';
import { requirePassword } from '../cluster/password.ts';
import {
  type Layout,
  SOCKET_PORT,
  shortSocketDirectoryName,
  socketFile,
} from '../directory/data-directory.ts';
import { EmbeddedError, hasCode, messageOf } from '../errors.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * How long a server may take to answer a new connection. A server in recovery answers at once; a frozen one never.
 */
const CONNECT_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** SQLSTATE invalid_password. */
const INVALID_PASSWORD = '28P01';
/** Codes of a connection attempt while the server starts, recovers or stops (SQLSTATE cannot_connect_now). */
const NOT_READY = ['ENOENT', 'ECONNREFUSED', '57P03'] as const;
/** Codes of a lost connection: SQLSTATE admin_shutdown, SQLSTATE crash_shutdown, and those of a socket. */
const LOST = ['57P01', '57P02', 'ECONNRESET', 'EPIPE'] as const;
/** Codes of a path on which no server listens. */
const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK'] as const;
/** Codes of a server whose queue of new connections is full. */
const BUSY = ['EAGAIN', 'EWOULDBLOCK'] as const;

/** A running server, and one connection to it. */
export type Server = {
  readonly client: pg.Client;
  readonly url: string;
  readonly socketDirectory: string;
  /** The process id in the container of the server. */
  readonly pid: number;
  /** Whether the server runs in this container. If not, its process cannot be signalled from here. */
  readonly local: boolean;
  /** The process, if this process has started it. */
  readonly child: ServerProcess | undefined;
};

/** The server ended while this process waited for it. */
export class ServerGoneError extends Error {}

/** A connection to the server of a data directory. */
type Connection = Pick<Server, 'client' | 'url' | 'socketDirectory'>;

/**
 * Connects to the running server of a data directory, in this container or another one. Waits while the server
 * recovers, until `signal`. Undefined when no server listens, or when it ends before it is ready.
 */
export async function joinServer(
  layout: Layout,
  applicationName: string,
  signal?: AbortSignal,
): Promise<Server | undefined> {
  // Throws an error that names the owner if another user owns the files. Later errors would only say that a file cannot be
  // read.
  await clusterAccount(layout);
  const before = await findPostmaster(layout.pgdata);
  for (const socketDirectory of socketDirectories(layout, before)) {
    const alive = async () => {
      signal?.throwIfAborted();
      if (!(await answers(socketDirectory))) throw new ServerGoneError();
    };
    try {
      const connection = await connectTo(layout, socketDirectory, applicationName, alive);
      const found = await findPostmaster(layout.pgdata);
      if (found.kind !== 'none') {
        return { ...connection, pid: found.pid, local: found.kind === 'running', child: undefined };
      }
      // Without postmaster.pid the server has just ended.
      await connection.client.end();
    } catch (error) {
      if (!(error instanceof ServerGoneError)) throw error;
    }
  }
  return undefined;
}

/**
 * The directories where the server of a data directory may have its socket: the usual one, and the one that
 * postmaster.pid names. The named one is included if its server runs here, or if its name comes from this data directory
 * (under another TMPDIR). Otherwise the data is a copy, and the named socket belongs to the original.
 */
export function socketDirectories(layout: Layout, found: PostmasterState): readonly string[] {
  const usual = layout.socketDirectory;
  const named = found.kind === 'none' ? undefined : found.socketDirectory;
  if (named === undefined || named === usual) return [usual];
  const trusted = found.kind === 'running' || basename(named) === shortSocketDirectoryName(layout.dataDir);
  return trusted ? [usual, named] : [usual];
}

/** Connects as the service's role. Calls `alive` before each attempt; it throws to give up. */
export async function connectTo(
  layout: Layout,
  socketDirectory: string,
  applicationName: string,
  alive: () => unknown,
): Promise<Connection> {
  // Before the password is read: a directory without a server may have no password.
  await alive();
  const password = await requirePassword(layout);
  const config: pg.ClientConfig = {
    host: socketDirectory,
    // Otherwise PGPORT and PGSSLMODE decide.
    port: SOCKET_PORT,
    ssl: false,
    user: ROLE,
    password,
    database: DATABASE,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  };
  try {
    const client = await connectWhenReady(config, alive);
    return { client, url: socketUrl(socketDirectory, password), socketDirectory };
  } catch (error) {
    if (!hasCode(error, INVALID_PASSWORD)) throw error;
    throw new EmbeddedError(
      `the password in ${layout.passwordFile} is not the password of the database in ${layout.pgdata}. ` +
        'Restore the file from the backup that the database was restored from.',
      { cause: error },
    );
  }
}

/**
 * Connects as soon as the server accepts connections. There is no time limit, because crash recovery may take
 * minutes. Calls `alive` before each attempt; it throws to give up.
 */
export async function connectWhenReady(config: pg.ClientConfig, alive: () => unknown): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await alive();
    const client = new pg.Client(config);
    // Without a listener, an `error` event ends the process. A connection that breaks later also emits `end`.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!hasCode(error, ...NOT_READY) && !isConnectionLoss(error)) throw error;
    }
    await delay(pause);
  }
}

/** Whether an error means that the connection has ended. Otherwise the error is a response of the server. */
export function isConnectionLoss(error: unknown): boolean {
  // The errors with these two messages have no code.
  return hasCode(error, ...LOST) || /^Connection terminated|not queryable$/.test(messageOf(error));
}

/** Whether a server listens on the socket in this directory. The server may run in another container. */
export function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketFile(socketDirectory) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      if (hasCode(error, ...NOBODY_LISTENS)) resolve(false);
      else if (hasCode(error, ...BUSY)) resolve(true);
      else reject(error);
    });
  });
}

/** The URL of the service's database over a socket, as `pg` and libpq read it. */
function socketUrl(socketDirectory: string, password: string): string {
  const host = socketDirectory.split('/').map(encodeURIComponent).join('/');
  return `postgres://${ROLE}:${password}@/${DATABASE}?host=${host}&port=${SOCKET_PORT}&sslmode=disable`;
}
