import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

/** A server of a test. */
export interface Receiver {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  /** How many connections it got. */
  readonly connections: () => number;
  /** How many connections are open. */
  readonly open: () => number;
  /** Resolves when the receiver has no connection. */
  readonly idle: () => Promise<void>;
}

const respond: RequestListener = (_, response) => response.end('thanks');

/** Starts an HTTP server. Default: it responds with 200, on 127.0.0.1 and any free port. */
export const startReceiver = (listener = respond, host = '127.0.0.1', port = 0): Promise<Receiver> =>
  listen(createServer(listener), host, port);

/** Starts an HTTPS server with the certificate of `receiver.test`. */
export const startSecureReceiver = (): Promise<Receiver> =>
  listen(https.createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, respond), '127.0.0.1', 0);

/** Starts a server that calls `onRequest` with each connection, when a first part of a request has arrived. */
export const startRawReceiver = (onRequest: (socket: Socket) => void): Promise<Receiver> =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => onRequest(socket));
    }),
    '127.0.0.1',
    0,
  );

async function listen(
  server: Server | https.Server | NetServer,
  host: string,
  port: number,
): Promise<Receiver> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('request', (request: IncomingMessage) => {
    requests.push(request);
    request.resume();
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port: own } = server.address() as AddressInfo;
  const idle = async (): Promise<void> => {
    await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  };
  return { port: own, requests, connections: () => connections, open: () => sockets.size, idle };
}
