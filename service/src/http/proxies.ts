import { isIP, isIPv4 } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Counter, type Registry } from 'prom-client';
import { type Clock, MINUTE_MS } from '../config/time.ts';
import type { TrustedProxies } from '../config/trust-proxy.ts';

/** The address of a client behind proxies, and warnings of wrong settings for them. */

/** Whether this address is a trusted proxy. `hop` is the number of proxies before it, from 0 for the direct sender. */
export type Trust = (address: string, hop: number) => boolean;

/**
 * Returns which senders of X-Forwarded-For are trusted. If `proxies` is a number, addresses are not checked, so only
 * proxies may reach the port (docs/operations.md).
 */
export function trustOf(proxies: TrustedProxies): Trust {
  if (proxies === false) return () => false;
  if (typeof proxies === 'number') return (_, hop) => hop < proxies;
  return withinAny(proxies.split(','));
}

/** Returns whether an address is in one of these ranges, which must be valid (`isAddressRange`). */
export function withinAny(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map(rangeOf);
  return (text) => {
    const address = parse(text);
    return address !== undefined && parsed.some(([base, bits]) => isWithin(address, base, bits));
  };
}

/** The canonical text of a valid range: `10.1.2.3/8` is `10.0.0.0/8`, and `::1` is `::1/128`. */
export function canonicalRange(text: string): string {
  const [base, bits] = rangeOf(text);
  const networkOf = base instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${networkOf.networkAddressFromCIDR(`${base.toString()}/${bits}`).toString()}/${bits}`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

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
function parse(text: string): Address | undefined {
  const [, bracketed, withoutPort] = WITH_PORT.exec(text.trim()) ?? [];
  // The zone of an IPv6 address can be any text, so it is removed.
  const [address = ''] = (bracketed ?? withoutPort ?? text.trim()).split('%', 1);
  // Without this check, the library would also accept `127.1` and octal numbers.
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** The client's IP address in canonical form. Undefined if the proxies send something else, such as `unknown` or a name. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string | undefined {
  const text = String(ip);
  // Such an address is canonical already. Parsing it takes longer than all other work on the address of a request.
  return isIPv4(text) ? text : parse(text)?.toString();
}

/** The key by which the requests of one client are counted: see {@link networkOf}. */
export const rateLimitKey = (request: Pick<FastifyRequest, 'ip' | 'socket'>): string =>
  networkOf(countedAddress(request));

/** The client's address, or that of the connection if the proxies send none. */
export function countedAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientAddress(request) ?? request.socket.remoteAddress ?? '';
}

/** The groups of an IPv6 address that name its /64 network. */
const NETWORK_GROUPS = 4;

/**
 * Returns an IPv4 address unchanged, and for an IPv6 address its /64 network (`2001:db8:0:1::/64`), because a client
 * usually has all addresses of such a network.
 */
export function networkOf(text: string): string {
  const address = parse(text);
  if (address === undefined) return text;
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** `svcd doctor` reads this metric. */
export const PROXY_MISTAKES_METRIC = 'svc_proxy_mistakes_total';

/** Mistakes in SVC_TRUST_PROXY or in a proxy. With each, all clients of the proxy share one address and its limits. */
export const PROXY_MISTAKES = {
  untrusted_sender:
    'a request came with X-Forwarded-For from an address that SVC_TRUST_PROXY does not trust: if that is your proxy, all ' +
    'clients count as one, and one of them can use up the limits of all; see "Behind a proxy" in docs/operations.md',
  no_address:
    'a trusted proxy sent an X-Forwarded-For whose entry for the client is no IP address: its clients count as one, and ' +
    'the audit log has no address of theirs; see "Behind a proxy" in docs/operations.md',
} as const;

export type ProxyMistake = keyof typeof PROXY_MISTAKES;

export interface ProxyWarnings {
  readonly trust: Trust;
  readonly registry: Registry;
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  /** Whether to log this mistake now. It may ask another process, so it is called at most once a minute for each mistake. */
  readonly isDue: (mistake: ProxyMistake) => Promise<boolean>;
}

/** Counts requests that show a mistake, and logs each mistake when it is due. */
export function warnOfProxyMistakes(app: FastifyInstance, options: ProxyWarnings): void {
  const { trust, registry, log, clock, isDue } = options;
  const nextAskMs = new Map<ProxyMistake, number>();
  const counter = new Counter({
    name: PROXY_MISTAKES_METRIC,
    help: 'Requests whose X-Forwarded-For was ignored.',
    labelNames: ['mistake'],
    registers: [registry],
  });
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-forwarded-for'] === undefined) return;
    const sender = request.socket.remoteAddress ?? '';
    const mistake = !trust(sender, 0)
      ? 'untrusted_sender'
      : clientAddress(request) === undefined
        ? 'no_address'
        : undefined;
    if (mistake === undefined) return;
    counter.inc({ mistake });
    const now = clock();
    if (now < (nextAskMs.get(mistake) ?? 0)) return;
    nextAskMs.set(mistake, now + MINUTE_MS);
    if (await isDue(mistake)) log.warn({ sender }, PROXY_MISTAKES[mistake]);
  });
}
