import { Resolver } from 'node:dns/promises';

/** Returns the addresses of a host name, at least one. Rejects if there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface ResolverOptions {
  /** Addresses of DNS servers, such as `127.0.0.1:53`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** How long an answer is used again. Default: 10 seconds. */
  readonly cacheMs?: number;
  /** How often the servers of the system are read again. Default: 30 seconds. */
  readonly serversMs?: number;
}

const CACHE_MS = 10_000;
const SERVERS_MS = 30_000;
/** The oldest answer leaves when there is one more. */
const CACHED_HOSTS_MAX = 1000;
const QUERY_TIMEOUT_MS = 2000;
const QUERY_TRIES = 2;

/** `localhost` and the names below it never reach a DNS server (RFC 6761). */
const LOCALHOST = /^(?:.*\.)?localhost$/;
const LOCALHOST_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

interface Answer {
  readonly addresses: Promise<readonly string[]>;
  readonly untilMs: number;
}

/**
 * Creates a function that asks DNS servers for the addresses of a name: those of IPv4 first. It does not read `/etc/hosts`.
 * Unlike `dns.lookup`, a name whose servers are slow takes no thread that others need. Concurrent calls for one name share
 * one query. A failed query is not remembered.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { servers, cacheMs = CACHE_MS, serversMs = SERVERS_MS } = options;
  const create = (): Resolver => new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  let resolver = create();
  let readMs = performance.now();
  if (servers !== undefined) resolver.setServers(servers);
  const answers = new Map<string, Answer>();

  const query = async (host: string): Promise<readonly string[]> => {
    // A resolver keeps the servers that the system had when it was created.
    if (servers === undefined && performance.now() - readMs >= serversMs) {
      resolver = create();
      readMs = performance.now();
    }
    const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    const [failed] = families;
    if (addresses.length === 0 && failed.status === 'rejected') throw failed.reason;
    return addresses;
  };

  const remember = (host: string): Promise<readonly string[]> => {
    const addresses = query(host);
    const [oldest] = answers.keys();
    if (answers.size >= CACHED_HOSTS_MAX && oldest !== undefined) answers.delete(oldest);
    const answer = { addresses, untilMs: performance.now() + cacheMs };
    answers.set(host, answer);
    addresses.catch(() => answers.get(host) === answer && answers.delete(host));
    return addresses;
  };

  return async (host) => {
    if (LOCALHOST.test(host)) return LOCALHOST_ADDRESSES;
    const known = answers.get(host);
    if (known !== undefined && performance.now() < known.untilMs) return known.addresses;
    answers.delete(host);
    return remember(host);
  };
}
