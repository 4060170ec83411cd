import { isIP } from 'node:net';
import { codeSuffix, SendFailure } from './failure.ts';
import { isPublic, isWithin, type Network } from './networks.ts';
import type { Resolve } from './resolver.ts';

/** Where receivers may be. */
export interface ReceiverPolicy {
  /** Receivers may be in these networks too, and have plain `http` there. */
  readonly networks: readonly Network[];
}

/** A receiver and the only addresses to which a connection may lead. */
export interface Target {
  readonly url: URL;
  /** The host of the URL, without brackets and without a dot at the end. */
  readonly host: string;
  readonly addresses: readonly string[];
}

const URL_LENGTH_MAX = 2048;
/** If an address does not respond, the next one is tried. */
const ADDRESSES_PER_FAMILY_MAX = 2;

/**
 * Resolves the host of a URL and returns the addresses that the policy allows. Rejects with {@link SendFailure} if the URL
 * is wrong or no address is allowed. `URL` has already given an address in any notation (decimal, octal, short, full-width
 * digits) its canonical form.
 */
export async function findTarget(text: string, policy: ReceiverPolicy, resolve: Resolve): Promise<Target> {
  const url = parseUrl(text);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host];
  const suitable = suitableAddresses(url, addresses, policy);
  const families = [4, 6].map((family) => suitable.filter((address) => isIP(address) === family));
  return { url, host, addresses: families.flatMap((family) => family.slice(0, ADDRESSES_PER_FAMILY_MAX)) };
}

/**
 * Why no request to this URL can be sent, in a sentence for the person who enters it. Undefined: it can, if the addresses
 * of its host name are allowed, which is checked for each request.
 */
export function receiverUrlProblem(text: string, policy: ReceiverPolicy): string | undefined {
  try {
    const url = parseUrl(text);
    const host = hostOf(url);
    if (isIP(host) !== 0) suitableAddresses(url, [host], policy);
    else if (url.protocol === 'http:' && policy.networks.length === 0)
      throw new SendFailure('https_required', HTTPS_REQUIRED);
    return undefined;
  } catch (error) {
    if (error instanceof SendFailure) return error.message;
    throw error;
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** The addresses that the policy allows for the URL. Throws {@link SendFailure} if there is none. */
function suitableAddresses(
  url: URL,
  addresses: readonly string[],
  policy: ReceiverPolicy,
): readonly string[] {
  const allowed = addresses.filter((address) => isWithin(address, policy.networks) || isPublic(address));
  if (allowed.length === 0)
    throw new SendFailure(
      'address_refused',
      'The host is not on the public internet: its address is refused. The operator can allow its network.',
    );
  const suitable =
    url.protocol === 'https:' ? allowed : allowed.filter((address) => isWithin(address, policy.networks));
  if (suitable.length === 0) throw new SendFailure('https_required', HTTPS_REQUIRED);
  return suitable;
}

const HTTPS_REQUIRED = 'The URL must begin with https://.';

/** `URL` would ignore white space and control characters, and any slashes and backslashes before the host. */
const WRITTEN_OUT = /^https?:\/\/[^\s\p{Cc}/\\?#]+(?:[/?#][^\s\p{Cc}]*)?$/iu;

function parseUrl(text: string): URL {
  const url =
    text.length <= URL_LENGTH_MAX && WRITTEN_OUT.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new SendFailure('invalid_url', 'The URL is not a valid https:// URL.');
  if (url.username !== '' || url.password !== '')
    throw new SendFailure('invalid_url', 'The URL must not contain a user name or a password.');
  return url;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((error: NodeJS.ErrnoException) => {
    throw new SendFailure('unresolvable', `The host name cannot be resolved${codeSuffix(error)}.`);
  });
  return addresses.filter((address) => isIP(address) !== 0 && !address.includes('%'));
}
