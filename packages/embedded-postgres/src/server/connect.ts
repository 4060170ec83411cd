import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { clusterAccount } from '../account/account.ts';
import { DATABASE, ROLE } from '../cluster/create.ts';
import { requirePassword } from '../cluster/password.ts';
import { type Layout, shortSocketDirectoryName, socketFile } from '../directory/data-directory.ts';
import { EmbeddedError, errorCode, errorMessage } from '../errors.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import type { ServerProcess } from './server-process.ts';

/** A server that takes connections, and one connection to it. */
export type Server = {
  readonly client: pg.Client;
  readonly url: string;
  readonly socketDirectory: string;
  /** In the namespace where it runs. */
  readonly pid: number;
  /** Whether `pid` is a process here. False: it runs in another container and cannot be signalled from here. */
  readonly local: boolean;
  /** Missing when the server was running before and is therefore nobody's child. */
  readonly child: ServerProcess | undefined;
};

/** What a path says behind which no server listens. */
const NOBODY: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);
/** What a server says that has no time for one more connection. */
const BUSY: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EWOULDBLOCK']);

/** Whether a server listens on the socket in this directory. It may run in another container. */
export function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketFile(socketDirectory) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      if (NOBODY.has(errorCode(error))) resolve(false);
      else if (BUSY.has(errorCode(error))) resolve(true);
      else reject(error);
    });
  });
}

/**
 * Where a server of this data directory may listen: at its own place, and where its postmaster.pid says if that
 * name was derived from this data directory, under another TMPDIR. Any other place belongs to the data directory
 * that this one is a copy of, and what listens there is not ours.
 */
export function socketDirectories(layout: Layout, named: string | undefined): readonly string[] {
  const own = layout.socketDirectory;
  if (named === undefined || named === own) return [own];
  return basename(named) === shortSocketDirectoryName(layout.dataDir) ? [own, named] : [own];
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** What a server that is not there yet, or not yet done with its recovery, answers. */
const NOT_YET: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  // cannot_connect_now: starting up, in recovery, shutting down.
  '57P03',
]);

/** SQLSTATEs admin_shutdown and crash_shutdown, and what a socket says. */
const LOST: ReadonlySet<string | undefined> = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE']);

/** Whether this is the end of the connection, not an answer of the server. */
export function isConnectionLoss(error: unknown): boolean {
  // The driver has no code for these two.
  return LOST.has(errorCode(error)) || /^Connection terminated|not queryable$/.test(errorMessage(error));
}

/**
 * Connects as soon as the server takes connections. Crash recovery may take minutes, so there is no time limit:
 * `alive` is asked before each attempt and throws when it is no use to wait any longer.
 */
export async function connectWhenReady(config: pg.ClientConfig, alive: () => unknown): Promise<pg.Client> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await alive();
    const client = new pg.Client(config);
    // A connection that breaks later says so by its `end` event; without a listener an `error` ends the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!NOT_YET.has(errorCode(error)) && !isConnectionLoss(error)) throw error;
    }
    await delay(pause);
  }
}

/** SQLSTATE invalid_password. */
const INVALID_PASSWORD = '28P01';
/** A server in recovery answers at once that it is; one that says nothing for so long is frozen. */
const CONNECT_TIMEOUT_MS = 60_000;

/** The server went away while it was waited for. */
export class ServerGoneError extends Error {}

/** A connection to the server of a data directory, and where that was found. */
export type Connection = Pick<Server, 'client' | 'url' | 'socketDirectory'>;

/**
 * Connects to the running server, also to one that runs in another container; waits while it recovers. Undefined
 * when none answers, or when it ends before it is ready.
 */
export async function joinServer(layout: Layout, applicationName: string): Promise<Server | undefined> {
  // Says whose the files are before they cannot be read.
  await clusterAccount(layout);
  const before = await findPostmaster(layout.pgdata);
  for (const socketDirectory of socketsOf(layout, before)) {
    const alive = async () => {
      if (!(await answers(socketDirectory))) throw new ServerGoneError();
    };
    try {
      const connection = await connectTo(layout, socketDirectory, applicationName, alive);
      const found = await findPostmaster(layout.pgdata);
      if (found.kind !== 'none') {
        return { ...connection, pid: found.pid, local: found.kind === 'running', child: undefined };
      }
      // Its postmaster.pid is gone: it has just ended.
      await connection.client.end();
    } catch (error) {
      if (!(error instanceof ServerGoneError)) throw error;
    }
  }
  return undefined;
}

/** Where a server of this data directory may listen. */
export function socketsOf(layout: Layout, found: PostmasterState): readonly string[] {
  const named = found.kind === 'none' ? undefined : found.socketDirectory;
  // A process that was started on this directory is its server wherever it listens.
  if (found.kind === 'running' && named !== undefined) return [...new Set([layout.socketDirectory, named])];
  return socketDirectories(layout, named);
}

/** Connects as the service's role; `alive` is asked before each attempt, and throws to give up. */
export async function connectTo(
  layout: Layout,
  socketDirectory: string,
  applicationName: string,
  alive: () => unknown,
): Promise<Connection> {
  // Before the password is asked for: a directory without a server may have none.
  await alive();
  const password = await requirePassword(layout);
  const config: pg.ClientConfig = {
    host: socketDirectory,
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
    if (errorCode(error) !== INVALID_PASSWORD) throw error;
    throw new EmbeddedError(
      `the password in ${layout.passwordFile} is not the password of the database in ${layout.pgdata}. ` +
        'Restore the file from the backup that the database was restored from.',
      { cause: error },
    );
  }
}

/** The URL of the service's database on a socket, as `pg` and libpq understand it. */
export function socketUrl(socketDirectory: string, password: string): string {
  const host = socketDirectory.split('/').map(encodeURIComponent).join('/');
  return `postgres://${ROLE}:${password}@/${DATABASE}?host=${host}`;
}
