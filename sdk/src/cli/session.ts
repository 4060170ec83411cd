import { Svc } from '../client.ts';
import { SvcError } from '../errors.ts';
import { checkedApiKey } from '../http/keys.ts';
import { checkedLogLevel, type LogDetails, type Logger } from '../http/log.ts';
import type { RetryEvent } from '../http/transport.ts';
import { nearest } from '../near.ts';
import { checkedBaseUrl, DEFAULT_BASE_URL } from '../options.ts';
import { VERSION } from '../version.ts';
import { flag, type Invocation, type Options, text, UsageError, type Values } from './command.ts';
import { type Credentials, DEFAULT_PROFILE, readProfiles } from './credentials.ts';
import { type Io, printMessage } from './io.ts';

/** There is no API key, or it is malformed. */
export class NoKeyError extends SvcError {}

/** The io and the options of a command that calls the service. */
export type Session = Pick<Invocation, 'io' | 'values'>;

const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

export const debugOption = {
  debug: {
    type: 'boolean',
    description: 'Print each request and response with its headers on standard error. The key is hidden',
  },
} as const satisfies Options;

/** Options of every command that calls the service. */
export const SESSION_OPTIONS = {
  profile: {
    type: 'string',
    value: 'NAME',
    description:
      'Use the key and the address of this profile. Default: SVC_API_KEY, or the profile SVC_PROFILE',
  },
  ...debugOption,
} as const satisfies Options;

/** The name of the profile in --profile or SVC_PROFILE. Default: `default`. Throws {@link UsageError} if it is malformed. */
export function profileOf({ io, values }: Session): string {
  const name = text(values, 'profile') ?? (io.env['SVC_PROFILE'] || DEFAULT_PROFILE);
  if (PROFILE_NAME.test(name)) return name;
  throw new UsageError(
    `"${name}" cannot be a profile. A name has up to 64 letters, digits, dots, hyphens and underscores.`,
  );
}

/** Where the key of a command comes from, and its address. */
export interface Origin extends Credentials {
  /** The profile; undefined: the key is that of SVC_API_KEY. */
  readonly profile: string | undefined;
}

/**
 * Returns the API key and the address to use. `--profile` has precedence over the environment, and `SVC_API_KEY` and
 * `SVC_BASE_URL` over a profile that is not named in the command. A stored key is sent only to the address that it was
 * stored with. Throws {@link NoKeyError} if there is no usable key.
 */
export async function originOf(session: Session): Promise<Origin> {
  const { io, values } = session;
  const named = text(values, 'profile') !== undefined;
  const key = named ? undefined : io.env['SVC_API_KEY'];
  const address = named ? undefined : io.env['SVC_BASE_URL'];
  const profile = profileOf(session);
  if (key) {
    // With an address, the file is not needed. It may be that of another user.
    const stored = address ? undefined : (await readProfiles(io)).get(profile)?.baseUrl;
    const baseUrl = stored ? checkedStored(stored, profile) : checkedEnvironment(address || DEFAULT_BASE_URL);
    return { apiKey: checkedKey(key), baseUrl, profile: undefined };
  }
  const profiles = await readProfiles(io);
  const stored = profiles.get(profile);
  if (stored === undefined) throw missing(profile, [...profiles.keys()]);
  const baseUrl = checkedStored(stored.baseUrl, profile);
  if (address && checkedEnvironment(address) !== baseUrl) {
    throw new NoKeyError(
      `SVC_BASE_URL is ${address}, but the stored key belongs to ${baseUrl}. Set SVC_API_KEY as well, or run svc login.`,
    );
  }
  return { apiKey: stored.apiKey, baseUrl, profile };
}

const checkedEnvironment = (address: string): string => checkedBaseUrl(address, 'SVC_BASE_URL');

const checkedStored = (address: string, profile: string): string =>
  checkedBaseUrl(address, `The address of the profile ${profile}`);

function missing(profile: string, known: readonly string[]): NoKeyError {
  if (profile === DEFAULT_PROFILE && known.length === 0)
    return new NoKeyError('There is no API key. Run svc login or set SVC_API_KEY.');
  const near = nearest(profile, known);
  const profiles = known.length === 0 ? 'No profile is stored.' : `The profiles are ${known.join(', ')}.`;
  const hint = near === undefined ? profiles : `Did you mean ${near}?`;
  const login = profile === DEFAULT_PROFILE ? 'svc login' : `svc login --profile ${profile}`;
  return new NoKeyError(`There is no profile ${profile}. ${hint} To create it: ${login}`);
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
export const openClient = async (session: Session): Promise<Svc> =>
  clientFor(session, await originOf(session));

/** Creates a client that prints a message on standard error for each retry and each expired cursor. */
export function clientFor({ io, values }: Session, { apiKey, baseUrl }: Credentials): Svc {
  const print = (message: string): void => {
    printMessage(io, `svc: ${message}`).catch(() => undefined);
  };
  return new Svc({
    apiKey,
    baseUrl,
    ...(io.fetch === undefined ? {} : { fetch: io.fetch }),
    userAgent: `svc-cli/${VERSION}`,
    logLevel: logLevelOf(io, values),
    logger: loggerOf(print),
    onRetry: ({ error, delayMs }: RetryEvent) =>
      print(`${error.message} Retrying in ${(delayMs / 1000).toFixed(1)} s.`),
    onRestart: ({ list }) => print(`the cursor of ${list} has expired. Searching for the position.`),
  });
}

const logLevelOf = (io: Io, values: Values) =>
  flag(values, 'debug') ? 'debug' : checkedLogLevel('SVC_LOG', io.env['SVC_LOG'] || 'off');

/** Prints requests and responses. Retries and failures are printed by the commands themselves. */
function loggerOf(print: (message: string) => void): Logger {
  const printAll =
    (sign: string) =>
    (message: string, { requestId, headers }: LogDetails): void => {
      print(`${sign} ${message}${requestId === undefined || headers !== undefined ? '' : ` (${requestId})`}`);
      for (const [name, value] of Object.entries(headers ?? {})) print(`${sign}   ${name}: ${value}`);
    };
  const nothing = (): void => undefined;
  return { error: nothing, warn: nothing, info: printAll('<'), debug: printAll('>') };
}
