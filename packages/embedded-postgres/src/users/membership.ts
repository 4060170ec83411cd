import type { Layout } from '../directory/data-directory.ts';
import { DataDirectoryInUseError, EmbeddedError, hasCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { isConnectionLoss, type Server } from '../server/connect.ts';
import { openServer } from '../server/open.ts';
import { untilGone } from '../server/postmaster.ts';
import { claimService, joinUsers, leaveUsers, otherUsers, serviceHolder } from './session-locks.ts';

/** How often the server may stop while this process joins, before it gives up. */
const LAST_USER_RACES = 20;
/** PostgreSQL cuts an application_name after this many bytes. */
const LONGEST_NAME_BYTES = 63;

export type EntryOptions = {
  readonly layout: Layout;
  /** The name of this process in the messages of others: `svcd start`. */
  readonly purpose: string;
  /** Whether this process is the service of the data directory. Otherwise it is a command. */
  readonly service: boolean;
  /** Connections that the service needs. Used if this process starts the server. */
  readonly connections: number;
  readonly log: Log;
};

/** A server that this process has joined. */
export type Entry = {
  readonly server: Server;
  /** The version of PostgreSQL: `18.4`. */
  readonly version: string;
  /** The names of the other users. */
  readonly others: readonly string[];
};

/**
 * Opens the server of a data directory and joins its users. Fails for a service if there is another service. `signal` ends
 * the wait for the server.
 */
export async function enter(options: EntryOptions, signal?: AbortSignal): Promise<Entry> {
  const { layout, log } = options;
  const name = sessionName(options.purpose);
  for (let race = 0; race < LAST_USER_RACES; race++) {
    const server = await openServer(layout, name, options.connections, log, { signal });
    try {
      if (options.service && !server.local) throw await foreignServer(server, layout);
      await joinUsers(server.client);
      reached(log, 'user-joined');
      if (options.service) await claimService(server.client, layout.dataDir);
      const { rows } = await server.client.query<{ version: string }>(
        `select current_setting('server_version') as version`,
      );
      return { server, version: rows[0]?.version ?? '', others: await otherUsers(server.client) };
    } catch (error) {
      await server.client.end();
      // The last user has just shut the server down: start it again.
      if (!isConnectionLoss(error)) throw error;
    }
  }
  throw new EmbeddedError(`the PostgreSQL of ${layout.pgdata} ends again and again; see ${layout.logFile}`);
}

/** The name of this process on its connections, for the messages of others: `svcd start (pid 4711)`. */
export function sessionName(purpose: string): string {
  const suffix = ` (pid ${process.pid})`;
  return purpose.slice(0, LONGEST_NAME_BYTES - suffix.length) + suffix;
}

/**
 * The error for a service that finds the server in another container. The service could not shut that server down,
 * and the server would be killed with its container.
 */
async function foreignServer({ client }: Server, { dataDir }: Layout): Promise<EmbeddedError> {
  const holder = await serviceHolder(client);
  if (holder !== undefined) return new DataDirectoryInUseError(dataDir, `${holder} in another container`);
  return new EmbeddedError(
    `the PostgreSQL of the data directory ${dataDir} runs in another container, or was started with the directory ` +
      'at another path. A service does not use a server that it cannot stop: end that container, or the command ' +
      'that uses the database there, then start again.',
  );
}

/**
 * Leaves the server. The last user shuts it down and waits for its end. If a service stops while a command uses the
 * server, the server goes on until the command ends.
 */
export async function leave(server: Server, layout: Layout, log: Log): Promise<void> {
  try {
    if (await leaveUsers(server.client)) {
      if (server.local) return await shutDown(server, layout, log);
      // The process id of that server belongs to another process in this container.
      return log.info('left PostgreSQL running: it runs in another container, and ends with that container');
    }
    const others = (await otherUsers(server.client)).join(', ');
    log.info(
      { pid: server.pid },
      `left PostgreSQL (pid ${server.pid}) running for ${others || 'another process'}`,
    );
  } catch (error) {
    // The server has ended already.
    if (!isConnectionLoss(error)) throw error;
  } finally {
    await server.client.end();
  }
}

/**
 * Makes this connection the only user of a server, so that no other process can join. Throws DataDirectoryInUseError if
 * there are other users.
 */
export async function claimServer(server: Server, { dataDir }: Layout): Promise<void> {
  const { client } = server;
  if (await leaveUsers(client)) return;
  throw new DataDirectoryInUseError(dataDir, (await otherUsers(client))[0] ?? 'another process');
}

/** Shuts a server down that this connection has claimed. */
export async function endServer(server: Server, layout: Layout, log: Log): Promise<void> {
  try {
    await shutDown(server, layout, log);
  } finally {
    await server.client.end();
  }
}

/** A fast shutdown: ends the sessions, rolls back their transactions, and writes everything to the disk. */
async function shutDown({ pid, child }: Server, layout: Layout, log: Log): Promise<void> {
  const started = performance.now();
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
  const outcome = child === undefined ? await untilGone(pid, layout.pgdata) : await child.ended();
  const ms = Math.round(performance.now() - started);
  if (outcome === undefined || outcome === 'exit code 0') log.info({ pid, ms }, 'stopped PostgreSQL');
  else log.warn({ pid, ms }, `PostgreSQL stopped with ${outcome}; see ${layout.logFile}`);
}
