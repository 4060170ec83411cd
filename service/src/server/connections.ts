import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections of one process; more are closed as they come. */
const CONNECTIONS_MAX = 4_000;
/** How long a client may take none of what is ready for it. */
const UNREAD_TIMEOUT_MS = 60_000;

export interface ConnectionLimits {
  readonly max?: number;
  readonly unreadTimeoutMs?: number;
}

/**
 * Bounds a server's connections, and ends those whose client does not read its responses: they would keep the responses
 * in memory for as long as the client likes.
 */
export function limitConnections(server: Server, limits: ConnectionLimits = {}): void {
  const { max = CONNECTIONS_MAX, unreadTimeoutMs = UNREAD_TIMEOUT_MS } = limits;
  server.maxConnections = max;
  /** Per connection: bytes that had left at the last look, when some of its response waited. */
  const open = new Map<Socket, number | undefined>();
  server.on('connection', (socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const look = (): void => {
    for (const [socket, before] of open) {
      const left = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0) open.set(socket, undefined);
      else if (before === left) socket.destroy();
      else open.set(socket, left);
    }
  };
  // Two looks without progress: between one and two halves of the time more than it.
  const timer = setInterval(look, unreadTimeoutMs / 2);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
