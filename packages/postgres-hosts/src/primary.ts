import type pg from 'pg';
import { type Host, hostOf, StandbyError } from './ask.ts';
import { breakConnection } from './connection.ts';
import { type Search, startSearch } from './search.ts';

/** The primary among the servers of a URL, for all sessions of a process. */
export interface Primary {
  /** Whether the URL has several servers. */
  readonly several: boolean;
  /** The only server; or the one that is the primary. Throws NoPrimaryError if none is now. */
  find(): Promise<Host>;
  /** A session on the primary is open. Throws StandbyError if another server has become the primary meanwhile. */
  opened(client: pg.Client, host: Host): void;
  /** A session is closed. */
  closed(client: pg.Client): void;
  /** A session on this server failed, or could not be opened: the next one searches for the primary. */
  lost(host: Host): void;
}

/**
 * Remembers the server that was the primary last, while it has a session. If another server becomes the primary, all
 * sessions on the one before it are closed: they may hang, or be those of a server that knows nothing of its successor.
 */
export function createPrimary(urls: readonly string[]): Primary {
  const hosts = urls.map(hostOf);
  const [only] = hosts;
  const sessions = new Map<pg.Client, Host>();
  let known: Host | undefined;
  let last: Host | undefined;
  let search: Search | undefined;

  const found = (host: Host): void => {
    search = undefined;
    known = last = host;
    for (const [client, of] of sessions) {
      if (of !== host) breakConnection(client, moved(host));
    }
  };
  const startNow = (): Search =>
    startSearch(
      [...hosts].sort((a, b) => Number(b === last) - Number(a === last)),
      {
        found,
        ended() {
          search = undefined;
        },
      },
    );
  const hasSession = (host: Host): boolean => [...sessions.values()].includes(host);

  return {
    several: hosts.length > 1,
    async find() {
      if (only !== undefined && hosts.length === 1) return only;
      if (known !== undefined && hasSession(known)) return known;
      search ??= startNow();
      return search.next();
    },
    opened(client, host) {
      if (hosts.length === 1) return;
      if (known !== undefined && known !== host) throw new StandbyError(host);
      known = last = host;
      sessions.set(client, host);
    },
    closed(client) {
      sessions.delete(client);
    },
    lost(host) {
      if (known === host) known = undefined;
    },
  };
}

const moved = ({ name }: Host): Error =>
  Object.assign(new Error(`the primary is now ${name}`), { code: 'ECONNRESET' });
