import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode, errorMessage, OperatorError } from '../config/errors.ts';

/** Explains why the operating system refuses an address, and what to do. */
export function listenFailure(error: unknown, host: string, port: number): OperatorError {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new OperatorError(`cannot listen on ${address}: ${reason(error, host, port)}`, { cause: error });
}

/** Whether a program cannot listen because another one listens there. */
export const isPortInUse = (error: unknown): boolean =>
  error instanceof OperatorError && errorCode(error.cause) === 'EADDRINUSE';

/** The same failure, for another process than the one that has tried. */
export const portInUse = (host: string, port: number): OperatorError =>
  listenFailure(Object.assign(new Error('The port is in use.'), { code: 'EADDRINUSE' }), host, port);

function reason(error: unknown, host: string, port: number): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} is in use. Stop the program that listens there, or set SVC_PORT to another port.`;
    case 'EACCES':
      return `only privileged programs may use port ${port}. Set SVC_PORT to 1024 or more, or use a proxy.`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine. Set SVC_HOST to one, such as 127.0.0.1 or 0.0.0.0.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${host} is unknown. Set SVC_HOST to an address, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return errorMessage(error);
  }
}

/**
 * Resolves a host to one address, preferring IPv4: `localhost` is 127.0.0.1. Fastify must not get the name: it would open
 * one more server per further address, without the limits, error responses and shutdown that the program sets on the first.
 */
export async function addressOf(host: string): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' });
  return address;
}

/** Returns the port if this process can listen there, a free one for 0. Throws OperatorError otherwise. */
export async function tryPort(host: string, port: number): Promise<number> {
  await using server = createServer();
  try {
    server.listen({ host: await addressOf(host), port });
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, host, port);
  }
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

/**
 * Returns the preferred port if it is free, otherwise another free port. Throws OperatorError if there is none. Another
 * program may take the port before this one listens there.
 */
export const freePort = (host: string, preferred = 0): Promise<number> =>
  tryPort(host, preferred).catch((error: unknown) => {
    if (preferred === 0 || !isPortInUse(error)) throw error;
    return tryPort(host, 0);
  });
