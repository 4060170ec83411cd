import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { TrustedProxies } from '../config.ts';

/**
 * Which senders of X-Forwarded-For are believed, as Fastify takes it. It refuses a plain count by itself, since that
 * says nothing of who connects: here it means that nobody but the proxies reaches the port (docs/operations.md).
 */
export function trustOf(
  proxies: TrustedProxies,
): false | string | ((address: string, hop: number) => boolean) {
  return typeof proxies === 'number' ? (_, hop) => hop < proxies : proxies;
}

/** The client's IP address; undefined when what the proxies say is none, such as `unknown`, a name or a token. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string | undefined {
  // A zone is any text.
  const [address = ''] = String(ip).split('%', 1);
  return isIP(address) === 0 ? undefined : address;
}

/** The address to count by: the client's, else that of the connection. */
export function countedAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientAddress(request) ?? request.socket.remoteAddress ?? '';
}
