import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections of one process; more are closed as they come. */
const CONNECTIONS_MAX = 4_000;
/** How long a client may take none of what is ready for it, at most; at least half of it. */
const UNREAD_TIMEOUT_MS = 60_000;

export interface ConnectionLimits {
  readonly max?: number;
  readonly unreadTimeoutMs?: number;
}

/**
 * What has left a connection, in bytes: `done` by whole writes, and what `current`, the write under way, has left to do.
 * A response of one piece is one write, so `done` says nothing about a client that reads it slowly.
 */
interface Progress {
  readonly done: number;
  readonly current: number | undefined;
}

/** Only the handle knows; without it, whole writes count. */
type WithHandle = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

const progressOf = (socket: WithHandle): Progress => ({
  done: socket.bytesWritten - socket.writableLength,
  current: socket._handle?.writeQueueSize,
});

/**
 * Bounds a server's connections, and ends those whose client does not read its responses: they would keep the responses
 * in memory for as long as the client likes.
 */
export function limitConnections(server: Server, limits: ConnectionLimits = {}): void {
  const { max = CONNECTIONS_MAX, unreadTimeoutMs = UNREAD_TIMEOUT_MS } = limits;
  server.maxConnections = max;
  /** Per connection: how far it was at the last look, when some of its response waited. */
  const open = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const look = (): void => {
    for (const [socket, before] of open) {
      const now = progressOf(socket);
      if (socket.writableLength === 0) open.set(socket, undefined);
      else if (before?.done === now.done && before.current === now.current) socket.destroy();
      else open.set(socket, now);
    }
  };
  // Without progress between two looks, a connection is ended: at the latest when the time is over.
  const timer = setInterval(look, unreadTimeoutMs / 2);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
