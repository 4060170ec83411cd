import { Svc } from '../client.ts';
import { SvcError } from '../errors.ts';
import type { RetryEvent } from '../http/transport.ts';
import { checkedApiKey, checkedBaseUrl, DEFAULT_BASE_URL } from '../options.ts';
import { VERSION } from '../version.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { type Io, printMessage } from './io.ts';

/** There is no key to work with, or it cannot be one. */
export class NoKeyError extends SvcError {}

/**
 * The key and the address to use: `SVC_API_KEY` and `SVC_BASE_URL` win over what `svc login` stored. A stored key goes to
 * the address that it was stored with, and nowhere else.
 */
async function credentialsOf(io: Io): Promise<Credentials> {
  const key = io.env['SVC_API_KEY'];
  const address = io.env['SVC_BASE_URL'];
  const stored = await readCredentials(io);
  if (key !== undefined && key !== '')
    return { apiKey: checkedKey(key), baseUrl: address || stored?.baseUrl || DEFAULT_BASE_URL };
  if (stored === undefined) throw new NoKeyError('There is no API key. Run svc login, or set SVC_API_KEY.');
  if (address && checkedBaseUrl(address) !== stored.baseUrl) {
    throw new NoKeyError(
      `SVC_BASE_URL is ${address}, but the stored key belongs to ${stored.baseUrl}. Set SVC_API_KEY too, or run svc login.`,
    );
  }
  return stored;
}

/** A malformed key ends like one that the service refuses. */
export function checkedKey(key: string): string {
  try {
    return checkedApiKey(key);
  } catch (error) {
    throw new NoKeyError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A client for the commands. It tells of each try that is repeated. */
export async function openClient(io: Io): Promise<Svc> {
  return clientFor(io, await credentialsOf(io));
}

export const clientFor = (io: Io, credentials: Credentials): Svc =>
  new Svc({
    ...credentials,
    ...(io.fetch === undefined ? {} : { fetch: io.fetch }),
    userAgent: `svc-cli/${VERSION}`,
    onRetry: ({ error, delayMs }: RetryEvent) => {
      printMessage(io, `svc: ${error.message} Trying again in ${(delayMs / 1000).toFixed(1)} s.`).catch(
        () => undefined,
      );
    },
    onRestart: ({ list }) => {
      printMessage(io, `svc: the cursor of ${list} has expired; looking for the place again.`).catch(
        () => undefined,
      );
    },
  });
