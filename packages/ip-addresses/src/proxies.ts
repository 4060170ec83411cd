import { isIPv4 } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { networkOf, parseAddress, withinAny } from './index.ts';

/** The address of a client behind proxies, and warnings of wrong settings for them. */

const MINUTE_MS = 60_000;

/**
 * Which proxies are trusted to set X-Forwarded-For: none, this number of proxies in a row, or the proxies with these
 * addresses (IP addresses and CIDR ranges, separated by commas).
 */
export type TrustedProxies = false | number | string;

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

/** The client's IP address in canonical form. Undefined if the proxies send something else, such as `unknown` or a name. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string | undefined {
  const text = String(ip);
  // Such an address is canonical already. Parsing it takes longer than all other work on the address of a request.
  return isIPv4(text) ? text : parseAddress(text)?.toString();
}

/** The key by which the requests of one client are counted: see {@link networkOf}. */
export const rateLimitKey = (request: Pick<FastifyRequest, 'ip' | 'socket'>): string =>
  networkOf(countedAddress(request));

/** The client's address, or that of the connection if the proxies send none. */
export function countedAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return clientAddress(request) ?? request.socket.remoteAddress ?? '';
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
  readonly clock: () => number;
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
