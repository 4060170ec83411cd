import type pg from 'pg';
import { DATABASE, ROLE } from './cluster.ts';
import { connectWhenReady } from './connect.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { type Layout, socketUrl } from './layout.ts';
import { clusterAccount } from './owner.ts';
import { requirePassword } from './password.ts';
import { findPostmaster, type PostmasterState } from './postmaster.ts';
import type { Server } from './server.ts';
import { answers, socketDirectories } from './socket.ts';

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
      `the password in ${layout.passwordFile} is not that of the database in ${layout.pgdata}. ` +
        'Restore the file from the backup that the database is from.',
      { cause: error },
    );
  }
}
