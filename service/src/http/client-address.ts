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

/** Groups of an IPv6 address, and those that name a network: whoever has one address has all of its /64. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** What an address is counted as: IPv4 as it is, also within IPv6; IPv6 by its /64, `2001:db8:0:1::/64`. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [host = ''] = address.split('%', 1);
  // The URL parser knows every way to write one, and writes it in the shortest.
  const short = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [left = [], right = []] = short
    .split('::')
    .map((side) => side.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array<string>(GROUPS - left.length - right.length).fill('0'), ...right];
  const mapped = /^(?:0:){5}ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(groups.join(':'));
  if (mapped !== null) return ipv4Of(mapped.slice(1).map((group) => Number.parseInt(group, 16)));
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

const ipv4Of = (halves: readonly number[]): string =>
  halves.flatMap((half) => [half >> 8, half & 0xff]).join('.');
