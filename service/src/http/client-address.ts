import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { TrustedProxies } from '../config/config.ts';

/** Whether the sender of a request, or a proxy in front of it, is believed; `hop` counts from the connection, 0. */
export type Trust = (address: string, hop: number) => boolean;

/** Which senders of X-Forwarded-For are believed. A number: nobody but the proxies reaches the port (docs/operations.md). */
export function trustOf(proxies: TrustedProxies): Trust {
  if (proxies === false) return () => false;
  if (typeof proxies === 'number') return (_, hop) => hop < proxies;
  const ranges = proxies.split(',').map(rangeOf);
  return (text) => {
    const address = parse(text);
    return address !== undefined && ranges.some(([base, bits]) => isWithin(address, base, bits));
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** `10.0.0.0/8`, or one address. A range of IPv4 addresses within IPv6 is one of IPv4. */
function rangeOf(text: string): readonly [Address, number] {
  const [host = '', prefix] = text.trim().split('/');
  const base = ipaddr.parse(host);
  const own = base.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS;
  const bits = prefix === undefined ? own : Number(prefix);
  const processed = ipaddr.process(host);
  const mappedBits = bits - (IPV6_BITS - IPV4_BITS);
  return processed.kind() === base.kind() || mappedBits < 0 ? [base, bits] : [processed, mappedBits];
}

const isWithin = (address: Address, base: Address, bits: number): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/** `[2001:db8::1]:443`, `[2001:db8::1]` and `203.0.113.7:4711`, as some proxies write the address of their client. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/** An IP address as a proxy or a connection writes it; IPv4 also when it is written within IPv6. */
function parse(text: string): Address | undefined {
  const [, bracketed, before] = WITH_PORT.exec(text.trim()) ?? [];
  // A zone is any text.
  const [address = ''] = (bracketed ?? before ?? text.trim()).split('%', 1);
  // Stricter than the library, which reads `127.1` and octal numbers too.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/**
 * The client's IP address in its canonical form; undefined when what the proxies say is none, such as `unknown`, a name
 * or a token.
 */
export const clientAddress = ({ ip }: Pick<FastifyRequest, 'ip'>): string | undefined =>
  parse(String(ip))?.toString();

/**
 * The key under which the requests of one client are counted: its IPv4 address, or the /64 network of its IPv6 address,
 * because a client that has one address of a network has all of them.
 */
export const rateLimitKey = (request: Pick<FastifyRequest, 'ip' | 'socket'>): string =>
  networkOf(countedAddress(request));

/** The address to count by: the client's, else that of the connection. */
export function countedAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientAddress(request) ?? request.socket.remoteAddress ?? '';
}

/** Groups of an IPv6 address that name a network: a client that has one address has all of its /64. */
const NETWORK_GROUPS = 4;

/** What an address is counted as: IPv4 as it is, also within IPv6; IPv6 by its /64, `2001:db8:0:1::/64`. */
export function networkOf(text: string): string {
  const address = parse(text);
  if (address === undefined) return text;
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
