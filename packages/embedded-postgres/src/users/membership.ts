import type { Layout } from '../directory/data-directory.ts';
import { DataDirectoryInUseError, EmbeddedError, errorCode } from '../errors.ts';
import { type Log, reached } from '../log.ts';
import { isConnectionLoss, type Server } from '../server/connect.ts';
import { openServer } from '../server/open.ts';
import { untilGone } from '../server/postmaster.ts';
import { claimService, joinUsers, leaveUsers, otherUsers, serviceHolder } from './session-locks.ts';

/** How often the server may end under somebody who comes just then. */
const LAST_USER_RACES = 20;
/** PostgreSQL cuts an application_name after this many bytes. */
const LONGEST_NAME_BYTES = 63;

export type EntryOptions = {
  readonly layout: Layout;
  /** What this process is, as another one that is refused will name it: `svcd start`. */
  readonly purpose: string;
  /** Whether it is the one service of the data directory, or a command beside it. */
  readonly service: boolean;
  /** What the service needs, when it is this process that starts the server. */
  readonly connections: number;
  readonly log: Log;
};

/** A server that this process is counted a user of. */
export type Entry = {
  readonly server: Server;
  /** As in `18.4`. */
  readonly version: string;
  /** Who else uses it. */
  readonly others: readonly string[];
};

/** Opens the server of a data directory and joins its users; as a service, exclusively among services. */
export async function enter(options: EntryOptions): Promise<Entry> {
  const { layout, log } = options;
  const suffix = ` (pid ${process.pid})`;
  const name = options.purpose.slice(0, LONGEST_NAME_BYTES - suffix.length) + suffix;
  for (let race = 0; race < LAST_USER_RACES; race++) {
    const server = await openServer(layout, name, options.connections, log);
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
      // Its last user was just shutting it down: start it anew.
      if (!isConnectionLoss(error)) throw error;
    }
  }
  throw new EmbeddedError(`the PostgreSQL of ${layout.pgdata} ends again and again; see ${layout.logFile}`);
}

/**
 * Why a service does not take over a server of another container: it could not shut that down, and the server
 * would be killed with the container.
 */
async function foreignServer({ client }: Server, { dataDir }: Layout): Promise<EmbeddedError> {
  const holder = await serviceHolder(client);
  if (holder !== undefined) return new DataDirectoryInUseError(dataDir, `${holder} in another container`);
  return new EmbeddedError(
    `the PostgreSQL of the data directory ${dataDir} runs in another container, or was started with the directory ` +
      'at another path. A service does not take over what it cannot stop: end that container, or the command ' +
      'that uses the database there, then start again.',
  );
}

/**
 * Leaves the server; who is the last one shuts it down and waits for its end. While others use it (a command
 * beside a service that stops) it is left to them: the last of them shuts it down.
 */
export async function leave(server: Server, layout: Layout, log: Log): Promise<void> {
  try {
    if (await leaveUsers(server.client)) {
      if (server.local) return await shutDown(server, layout, log);
      // Its process id is that of another process here.
      return log.info('left PostgreSQL running: it runs in another container, and ends with that');
    }
    const others = (await otherUsers(server.client)).join(', ');
    log.info(
      { pid: server.pid },
      `left PostgreSQL (pid ${server.pid}) running for ${others || 'another process'}`,
    );
  } catch (error) {
    // It is gone already, which is where this was going.
    if (!isConnectionLoss(error)) throw error;
  } finally {
    await server.client.end();
  }
}

/** A fast shutdown: sessions are cut, their open transactions rolled back, everything is written. */
async function shutDown({ pid, child }: Server, layout: Layout, log: Log): Promise<void> {
  const started = performance.now();
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  const outcome = child === undefined ? await untilGone(pid, layout.pgdata) : await child.ended();
  const ms = Math.round(performance.now() - started);
  if (outcome === undefined || outcome === 'exit code 0') log.info({ pid, ms }, 'stopped PostgreSQL');
  else log.warn({ pid, ms }, `PostgreSQL stopped with ${outcome}; see ${layout.logFile}`);
}
