import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The most connections of a process. Further connections are closed at once. */
const CONNECTIONS_MAX = 4_000;
/** A client that reads nothing of its response is disconnected after half of this time to all of it. */
const UNREAD_TIMEOUT_MS = 60_000;

export interface ConnectionLimits {
  readonly max?: number;
  readonly unreadTimeoutMs?: number;
}

/**
 * The progress of a connection in bytes: `done` counts complete writes, `current` is the rest of the current write. Both
 * are needed: a response may be one large write, and `done` does not change while a slow client reads it.
 */
interface Progress {
  readonly done: number;
  readonly current: number | undefined;
}

/** The handle is not public, but only the handle has the size of its write queue. It is null for a closed socket. */
type WithHandle = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

const progressOf = (socket: WithHandle): Progress => ({
  done: socket.bytesWritten - socket.writableLength,
  current: socket._handle?.writeQueueSize,
});

interface Connection {
  /** At the last check; undefined if it had nothing to send. */
  progress: Progress | undefined;
  /** The number of its requests whose responses are not complete. */
  running: number;
}

export interface LimitedConnections {
  /** Ends the connections on which no request runs, also those that have only a part of its header. */
  readonly endUnused: () => void;
}

/**
 * Limits the connections of a server, and ends connections whose clients do not read their responses: such responses
 * would stay in memory.
 */
export function limitConnections(server: Server, limits: ConnectionLimits = {}): LimitedConnections {
  const { max = CONNECTIONS_MAX, unreadTimeoutMs = UNREAD_TIMEOUT_MS } = limits;
  server.maxConnections = max;
  // Without it, a worker of node:cluster gives the connection back, and the primary passes it on again and again.
  Object.assign(server, { dropMaxConnection: true });
  const open = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    open.set(socket, { progress: undefined, running: 0 });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.running += 1;
    response.once('close', () => {
      connection.running -= 1;
    });
  });
  const check = (): void => {
    for (const [socket, connection] of open) {
      const { progress: before } = connection;
      const now = progressOf(socket);
      if (socket.writableLength === 0) connection.progress = undefined;
      else if (before?.done === now.done && before.current === now.current) socket.destroy();
      else connection.progress = now;
    }
  };
  // Two checks without progress end a connection, so it ends within the timeout.
  const timer = setInterval(check, unreadTimeoutMs / 2);
  timer.unref();
  server.once('close', () => clearInterval(timer));
  return {
    endUnused() {
      for (const [socket, { running }] of open) if (running === 0) socket.destroy();
    },
  };
}
