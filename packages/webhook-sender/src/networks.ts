import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: its first address and the length of its prefix. */
export type Network = readonly [base: Address, bits: number];

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** A public address of Azure that leads to the credentials of a virtual machine, only from within that machine. */
const AZURE_METADATA = '168.63.129.16';
/** All global addresses of IPv6 are in the first network. The others are parts of it that are not global. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((text) =>
  ipaddr.IPv6.parseCIDR(text),
);

/**
 * Parses a list such as `10.0.0.0/8, fd00::/8, 192.0.2.7`. Returns an empty list for an empty text. Throws an `Error` that
 * names the first network that is wrong.
 */
export const parseNetworks = (text: string): readonly Network[] =>
  text.trim() === '' ? [] : text.split(',').map((part) => parseNetwork(part.trim()));

function parseNetwork(text: string): Network {
  const [, host = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  // Without this check, the library would also accept `10.1`, octal numbers and zones.
  if (isIP(host) === 0 || host.includes('%'))
    throw new Error(`"${text}" is not a network, such as 10.0.0.0/8`);
  const address = ipaddr.parse(host);
  const most = address instanceof ipaddr.IPv4 ? IPV4_BITS : IPV6_BITS;
  const bits = prefix === undefined ? most : Number(prefix);
  if (bits > most) throw new Error(`"${text}" has a prefix of more than ${most} bits`);
  const family = address instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = family.networkAddressFromCIDR(`${host}/${bits}`);
  if (first.toString() !== address.toString())
    throw new Error(`"${text}" is not a network: its first address is ${first}`);
  return [address, bits];
}

/**
 * Whether one of the networks contains the address, which is in canonical form. A network of IPv4 does not contain an
 * IPv4-mapped address of IPv6.
 */
export function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = ipaddr.parse(text);
  return networks.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits));
}

/**
 * Whether anybody on the internet can have this address, which is in canonical form. False for loopback, private,
 * link-local, multicast, unspecified and reserved addresses, for those of metadata services, and for addresses of IPv6 that
 * contain one of IPv4 (mapped, NAT64, 6to4, Teredo).
 */
export function isPublic(text: string): boolean {
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || text === AZURE_METADATA) return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_IPV6) && !SPECIAL_IPV6.some((network) => address.match(network));
}
