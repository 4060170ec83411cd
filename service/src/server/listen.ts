import { createServer } from 'node:net';
import { errorCode, errorMessage } from '../database/embedded/error.ts';
import { OperatorError } from '../operator-error.ts';

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

/** A port that nobody listens on at this moment: the preferred one if it is free. */
export function freePort(host: string, preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (preferred === 0) reject(listenFailure(error, host, 0));
      else resolve(freePort(host));
    });
    server.listen({ host, port: preferred }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
