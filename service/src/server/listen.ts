import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { errorCode, errorMessage } from '../config/error-message.ts';
import { OperatorError } from '../config/operator-error.ts';

/** What the operating system's refusal of an address means, and what to do. */
export function listenFailure(error: unknown, host: string, port: number): OperatorError {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new OperatorError(`cannot listen on ${address}: ${reason(error, host, port)}`, { cause: error });
}

function reason(error: unknown, host: string, port: number): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} is in use. Stop what listens there, or set SVC_PORT to another one.`;
    case 'EACCES':
      return `port ${port} is for privileged programs. Set SVC_PORT to 1024 or more, or put a proxy in front.`;
    case 'EADDRNOTAVAIL':
      return `${host} is no address of this machine. Set SVC_HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name ${host} is not known. Set SVC_HOST to an address, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return errorMessage(error);
  }
}

/**
 * The one address that a host stands for: of several the first of IPv4, so `localhost` is 127.0.0.1. A name would have
 * Fastify open a second server for each other address, without what this program has set on the first: its limits, its
 * answers to broken requests, its end.
 */
export async function addressOf(host: string): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' });
  return address;
}

/** A port that nobody listens on at this moment: the preferred one if it is free. */
export async function freePort(host: string, preferred = 0): Promise<number> {
  const address = await addressOf(host).catch((error: unknown) => {
    throw listenFailure(error, host, preferred);
  });
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (preferred === 0) reject(listenFailure(error, host, 0));
      else resolve(freePort(host));
    });
    server.listen({ host: address, port: preferred }, () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
}
