import type { Socket } from 'node:net';
import type pg from 'pg';

/** The name of the server that a client connects to. */
export const nameOf = ({ host, port }: Pick<pg.Client, 'host' | 'port'>): string =>
  host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Closes the connection of a client at once. All of its statements fail with this error. */
export function breakConnection(client: pg.Client, error: Error): void {
  (client.connection.stream as Socket).destroy(error);
}

/** The undocumented method of pg that reads what a server sends. It throws out of a listener of the socket. */
interface Reading {
  attachListeners(stream: NodeJS.EventEmitter): void;
}
type Listener = (bytes: Buffer) => void;

/**
 * Closes the connection (ECONNRESET) if pg cannot read what the server sends, such as an unknown way to sign in.
 * Otherwise the exception would end the process.
 */
export function closeIfUnreadable(client: pg.Client): void {
  const reading = client.connection as unknown as Reading;
  const attach = reading.attachListeners.bind(reading);
  reading.attachListeners = (stream) => {
    attach(stream);
    for (const read of stream.listeners('data') as Listener[]) {
      stream.off('data', read);
      stream.on('data', (bytes: Buffer) => {
        try {
          read(bytes);
        } catch (error) {
          breakConnection(client, unreadable(nameOf(client), error as Error));
        }
      });
    }
  };
}

const unreadable = (name: string, { message }: Error): Error =>
  Object.assign(new Error(`${name} has sent what cannot be read: ${message}`), { code: 'ECONNRESET' });
