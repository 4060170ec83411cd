import { isIPv6 } from 'node:net';

/** The URL cannot be used. The message follows the name of the setting, and contains no part of the URL. */
export class HostsError extends Error {}

const HOSTS_MAX = 10;
const PORT_MAX = 65_535;
/** A name, an IPv4 address, or the folder of a socket. IPv6 addresses are checked apart. */
const HOST = /^(?:[^\s/?#@:[\]]+|\/\S*)$/;
/** The values of target_session_attrs that name the server which a service needs. */
const PRIMARY_ATTRIBUTES: ReadonlySet<string> = new Set(['read-write', 'primary']);

/** Host and port of a server. */
export interface Address {
  readonly host: string;
  /** Empty: the default of pg. */
  readonly port: string;
}

/**
 * The URLs of the hosts of a database URL, in its order, each with one host, in the forms of libpq:
 * `postgres://user@a:5432,[::1]:5433/name` and `postgres://user@/name?host=a,b&port=5432,5433`. A URL with one host is
 * returned unchanged. Throws HostsError for a list that is wrong, and for a target_session_attrs that may be a standby.
 */
export function splitHosts(url: string): readonly string[] {
  const { authority, query } = partsOf(url);
  const { host, port, attributes } = readQuery(query);
  if (attributes !== undefined && !PRIMARY_ATTRIBUTES.has(attributes))
    throw new HostsError('must have target_session_attrs=read-write, or none: the service writes.');
  const given = readAuthority(authority);
  const addresses = pair(
    host?.split(',') ?? given.map((address) => address.host),
    port?.split(',') ?? given.map((address) => address.port),
  );
  if (addresses.length === 1) return [url];
  if (addresses.length > HOSTS_MAX) throw new HostsError(`must have at most ${HOSTS_MAX} hosts.`);
  for (const address of addresses) check(address);
  return [...new Set(addresses.map((address) => urlAt(url, address)))];
}

/** A URL for the same user and database on another server, with the other parameters of this URL. */
export function urlAt(url: string, { host, port }: Address): string {
  const { scheme, user, path, query, fragment } = partsOf(url);
  const parameters = [`host=${encodeURIComponent(host)}`, ...readQuery(query).kept];
  if (port !== '') parameters.push(`port=${port}`);
  return `${scheme}${user}${path.startsWith('/') ? path : `/${path}`}?${parameters.join('&')}${fragment}`;
}

/** Whether each machine has this name for itself: `localhost`, an address of loopback, or the folder of a socket. */
export const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('/');

function partsOf(url: string) {
  const [, scheme = '', user = '', authority = '', path = '', query = '', fragment = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return { scheme, user, authority, path, query, fragment };
}

/** The parameters of the query that say which server is wanted, and the others, unchanged. */
function readQuery(query: string) {
  const found = new Map<string, string>();
  const kept = query.split('&').filter((parameter) => {
    const [[name, value] = ['', '']] = new URLSearchParams(parameter);
    const ours = name === 'host' || name === 'port' || name === 'target_session_attrs';
    if (ours && value !== '') found.set(name, value);
    return !ours && parameter !== '';
  });
  return {
    kept,
    host: found.get('host'),
    port: found.get('port'),
    attributes: found.get('target_session_attrs'),
  };
}

/** `a:5432,[::1]:5433`. */
const readAuthority = (authority: string): readonly Address[] =>
  authority.split(',').map((text) => {
    // Without a match, such as an IPv6 address without brackets, the text is no name.
    const [, address, name = text, port = ''] = /^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(text) ?? [];
    return { host: decoded(address ?? name), port };
  });

/** The lists of `?host=a,b&port=5432,5433`, each of which replaces that before the path. One port is that of all hosts. */
function pair(hosts: readonly string[], ports: readonly string[]): readonly Address[] {
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new HostsError('must have one port, or as many ports as hosts.');
  return hosts.map((host, i) => ({ host, port: (ports.length === 1 ? ports[0] : ports[i]) ?? '' }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HostsError('must have % in a host only before two hexadecimal digits.');
  }
}

function check({ host, port }: Address): void {
  if (host === '') throw new HostsError('must have a host before and after each comma.');
  if (!HOST.test(host) && !isIPv6(host))
    throw new HostsError(
      'must have names or addresses as hosts; an IPv6 address needs brackets: [::1]:5432.',
    );
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= PORT_MAX))
    throw new HostsError(`must have ports from 1 to ${PORT_MAX}.`);
}
