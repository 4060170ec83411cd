import { Svc } from '../client.ts';
import { SvcError } from '../errors.ts';
import { checkedApiKey } from '../http/keys.ts';
import type { RetryEvent } from '../http/transport.ts';
import { checkedBaseUrl, DEFAULT_BASE_URL } from '../options.ts';
import { VERSION } from '../version.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { type Io, printMessage } from './io.ts';

/** There is no API key, or it is malformed. */
export class NoKeyError extends SvcError {}

/**
 * Returns the API key and the address to use. `SVC_API_KEY` and `SVC_BASE_URL` have precedence over what `svc login`
 * stored. A stored key is sent only to the address that it was stored with. Throws {@link NoKeyError} if there is no
 * usable key.
 */
async function credentialsOf(io: Io): Promise<Credentials> {
  const key = io.env['SVC_API_KEY'];
  const address = io.env['SVC_BASE_URL'];
  const stored = await readCredentials(io);
  if (key !== undefined && key !== '')
    return { apiKey: checkedKey(key), baseUrl: address || stored?.baseUrl || DEFAULT_BASE_URL };
  if (stored === undefined) throw new NoKeyError('There is no API key. Run svc login or set SVC_API_KEY.');
  if (address && checkedBaseUrl(address) !== stored.baseUrl) {
    throw new NoKeyError(
      `SVC_BASE_URL is ${address}, but the stored key belongs to ${stored.baseUrl}. Set SVC_API_KEY as well, or run svc login.`,
    );
  }
  return stored;
}

/**
 * Returns the key if it is well-formed. Throws {@link NoKeyError} otherwise: the exit code is that of a refused key.
 */
export function checkedKey(key: string): string {
  try {
    return checkedApiKey(key);
  } catch (error) {
    throw new NoKeyError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Creates a client with the user's credentials. */
export async function openClient(io: Io): Promise<Svc> {
  return clientFor(io, await credentialsOf(io));
}

/** Creates a client that prints a message on standard error for each retry and each expired cursor. */
export const clientFor = (io: Io, credentials: Credentials): Svc =>
  new Svc({
    ...credentials,
    ...(io.fetch === undefined ? {} : { fetch: io.fetch }),
    userAgent: `svc-cli/${VERSION}`,
    onRetry: ({ error, delayMs }: RetryEvent) => {
      printMessage(io, `svc: ${error.message} Retrying in ${(delayMs / 1000).toFixed(1)} s.`).catch(
        () => undefined,
      );
    },
    onRestart: ({ list }) => {
      printMessage(io, `svc: the cursor of ${list} has expired. Searching for the position.`).catch(
        () => undefined,
      );
    },
  });
