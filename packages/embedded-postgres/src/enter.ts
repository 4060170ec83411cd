import { isConnectionLoss } from './connect.ts';
import { DataDirectoryInUseError, EmbeddedError } from './error.ts';
import type { Layout } from './layout.ts';
import { claimService, joinUsers, otherUsers, serviceHolder } from './ownership.ts';
import { type Log, openServer, type Server } from './server.ts';
import { reached } from './steps.ts';

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
