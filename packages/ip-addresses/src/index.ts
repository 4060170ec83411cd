import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IP addresses as clients, proxies and settings write them. */

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Returns whether an address is in one of these ranges, which must be valid. */
export function withinAny(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map(rangeOf);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && parsed.some(([base, bits]) => isWithin(address, base, bits));
  };
}

/** The canonical text of a valid range: `10.1.2.3/8` is `10.0.0.0/8`, and `::1` is `::1/128`. */
export function canonicalRange(text: string): string {
  const [base, bits] = rangeOf(text);
  const family = base instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(`${base.toString()}/${bits}`).toString()}/${bits}`;
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Parses `10.0.0.0/8`, or one address. A range of IPv4-mapped IPv6 addresses becomes a range of IPv4. */
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

/** Some proxies write the address of a client as `[2001:db8::1]:443`, `[2001:db8::1]` or `203.0.113.7:4711`. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/** Parses an IP address from a proxy or a connection. An IPv4-mapped IPv6 address becomes one of IPv4. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, withoutPort] = WITH_PORT.exec(text.trim()) ?? [];
  // The zone of an IPv6 address can be any text, so it is removed.
  const [address = ''] = (bracketed ?? withoutPort ?? text.trim()).split('%', 1);
  // Without this check, the library would also accept `127.1` and octal numbers.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** The groups of an IPv6 address that name its /64 network. */
const NETWORK_GROUPS = 4;

/**
 * Returns an IPv4 address unchanged, and for an IPv6 address its /64 network (`2001:db8:0:1::/64`), because a client
 * usually has all addresses of such a network.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
