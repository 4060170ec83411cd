import pg from 'pg';
import { breakConnection, closeIfUnreadable, nameOf } from './connection.ts';

/** A server of the URL. */
export interface Host {
  /** With this server as its only host. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** For messages: `db1:5432`, or the folder of a socket. */
  readonly name: string;
}

/** How long a server may take to open a session. */
const CONNECT_TIMEOUT_MS = 2_000;

/** The server is a standby: it refuses to write. */
export class StandbyError extends Error {
  constructor({ name }: Host) {
    super(`${name} is a standby, and the service needs the primary`);
  }
}

/** No server of the URL is the primary now. `errors` has the reason of each, in the order of the URL. */
export class NoPrimaryError extends AggregateError {
  constructor(hosts: readonly Host[], reasons: ReadonlyMap<Host, Error>) {
    const known = hosts.flatMap((host) => reasons.get(host) ?? []);
    super(
      known,
      `no host of the database is a primary now: ${known.map(({ message }) => message).join('; ')}`,
    );
  }
}

/** The server of a URL with one host. */
export function hostOf(url: string): Host {
  const client = new pg.Client({ connectionString: url });
  const { host, port } = client;
  return { url, host, port, name: nameOf(client) };
}

/** Throws StandbyError if the server of an open session is a standby. */
export async function requirePrimary(client: pg.Client, host: Host): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new StandbyError(host);
}

/** Closes the connection (ETIMEDOUT) if `work` takes longer than CONNECT_TIMEOUT_MS. */
export async function inTime<T>(client: pg.Client, host: Host, work: () => Promise<T>): Promise<T> {
  const silent = Object.assign(
    new Error(`${host.name} has not answered for ${CONNECT_TIMEOUT_MS / 1000} s`),
    {
      code: 'ETIMEDOUT',
    },
  );
  const timeout = setTimeout(() => breakConnection(client, silent), CONNECT_TIMEOUT_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timeout);
  }
}

/** Asks a server, in a session of its own, whether it is the primary. Throws the reason if it is not. */
export async function ask(host: Host): Promise<void> {
  const client = new pg.Client({ connectionString: host.url, application_name: 'svcd search' });
  client.on('error', () => undefined);
  closeIfUnreadable(client);
  try {
    await inTime(client, host, async () => {
      await client.connect();
      await requirePrimary(client, host);
    });
  } catch (error) {
    throw named(host, error);
  } finally {
    client.connection.stream.destroy();
  }
}

/** An error whose message names the host. Messages of a failed look-up and of sign-in do not. */
function named(host: Host, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(`${host.name}: ${String(error)}`);
  // Of a name with several addresses. Its own message is empty.
  if (error instanceof AggregateError && error.message === '')
    error.message = error.errors.map(({ message }: Error) => message).join(', ');
  if (!error.message.includes(host.name)) error.message = `${host.name}: ${error.message}`;
  return error;
}

/** What a server says of itself. */
export interface HostState {
  readonly name: string;
  /** Undefined: it does not answer, for the reason of `error`. */
  readonly role: 'primary' | 'standby' | undefined;
  readonly error?: Error;
}

/** Asks the servers with these URLs at the same time. */
export const askHosts = (urls: readonly string[]): Promise<readonly HostState[]> =>
  Promise.all(
    urls.map(hostOf).map(async (host): Promise<HostState> => {
      const { name } = host;
      try {
        await ask(host);
        return { name, role: 'primary' };
      } catch (error) {
        if (error instanceof StandbyError) return { name, role: 'standby' };
        return { name, role: undefined, error: error as Error };
      }
    }),
  );
