import { hash } from 'node:crypto';
import { clientAddress, rateLimitKey } from '@svc/ip-addresses/proxies';
import type { Grant, Limiter } from '@svc/rate-limiter';
import { isToken } from '@svc/sdk/contract';
import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../config/time.ts';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey, Authenticator } from '../keys/authenticate.ts';

/** The sender of an authenticated request. */
export interface Caller {
  readonly key: AuthenticatedKey;
  /** The state of the burst limit after this request. Null: the key has no limit, or it is not counted yet. */
  burst: Grant | null;
  /** Whether the key may be used from the address of the client. */
  readonly addressAllowed: boolean;
  /** Whether a member sends the request in the dashboard, without a key. It has no audit entry and uses no quota. */
  readonly isMember: boolean;
  /** Removes the key from the memory of this process, after the database has refused it. */
  readonly forget: () => void;
  /** Lets the next request with the token read the key from the database. */
  readonly readAgain: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request has authenticated. It stays set when the request is refused afterwards. */
    caller: Caller | null;
  }
}

export interface AuthenticationOptions {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly failedAuthPerMinute: number;
}

/** Every reason has the same message, so that a response does not show whether a key is unknown or revoked. */
export const invalidKey = (tokenSent: boolean): ApiError =>
  new ApiError('invalid_key', 'The API key is invalid or has been revoked.', {
    'www-authenticate': tokenSent ? 'Bearer error="invalid_token"' : 'Bearer',
  });

export const networkNotAllowed = (): ApiError =>
  new ApiError('network_not_allowed', 'This key may not be used from the network of this client.');

/** Whether a key may be used from an address. It is read only if the key has networks. Undefined: the proxies name none. */
export function mayUse(
  { allowsAddress }: Pick<AuthenticatedKey, 'allowsAddress'>,
  addressOf: () => string | undefined,
): boolean {
  if (allowsAddress === null) return true;
  const address = addressOf();
  return address !== undefined && allowsAddress(address);
}

export const rateLimited = (message: string, { resetMs }: Grant): ApiError =>
  new ApiError('rate_limited', message, { 'retry-after': String(Math.max(1, Math.ceil(resetMs / 1000))) });

/** The content of an Authorization header: no bearer token, a malformed one, or one of the right shape. */
export type Bearer =
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

export function parseBearer(header: string | undefined): Bearer {
  const token = header === undefined ? undefined : /^bearer +(.*)$/i.exec(header)?.[1]?.trimEnd();
  if (token === undefined || token === '') return { kind: 'missing' };
  return isToken(token) ? { kind: 'token', token } : { kind: 'malformed' };
}

/** Authenticates a request by its API key (specification, section 5). Throws the refusal. */
export async function authenticate(request: FastifyRequest, options: AuthenticationOptions): Promise<Caller> {
  const { authenticator } = options;
  const bearer = parseBearer(request.headers.authorization);
  if (bearer.kind === 'missing') throw invalidKey(false);
  if (bearer.kind === 'malformed') throw await failedAuthentication(rateLimitKey(request), options);
  const { token } = bearer;
  const remembered = authenticator.remembered(token);
  const key = remembered?.isCurrent
    ? remembered.key
    : await lookUp(rateLimitKey(request), token, remembered !== undefined, options);
  const addressAllowed = mayUse(key, () => clientAddress(request));
  // A client that may not use the key counts as one that does not know it, so that it writes few entries.
  if (!addressAllowed) await countFailure(rateLimitKey(request), options);
  return {
    ...{ key, burst: null, addressAllowed, isMember: false },
    forget: () => authenticator.forget(token),
    readAgain: () => authenticator.readAgain(token),
  };
}

/** Asks the database for the key of a token that memory does not know, or has not confirmed for some time. */
async function lookUp(
  client: string,
  token: string,
  wasValid: boolean,
  options: AuthenticationOptions,
): Promise<AuthenticatedKey> {
  const { authenticator, limiter, failedAuthPerMinute } = options;
  const failures = await limiter.take(failureBucket(client), failedAuthPerMinute, MINUTE_MS, 0);
  if (!failures.granted && !wasValid) {
    const lookUps = await takeLookUp(client, token, failures, options);
    if (!lookUps.granted) throw tooManyFailures(lookUps);
  }
  const key = await authenticator.lookUp(token);
  if (key === undefined) throw await failedAuthentication(client, options);
  return key;
}

const failureBucket = (client: string): string => `failed authentication ${client}`;

const tooManyFailures = (grant: Grant): ApiError =>
  rateLimited('Too many failed authentications from this address.', grant);

/** Counts a failure and returns its refusal. */
async function failedAuthentication(client: string, options: AuthenticationOptions): Promise<ApiError> {
  await countFailure(client, options);
  return invalidKey(true);
}

/** Counts a failure. Throws `rate_limited` above the limit, which also concurrent failures do not exceed. */
async function countFailure(
  client: string,
  { limiter, failedAuthPerMinute }: AuthenticationOptions,
): Promise<void> {
  const failures = await limiter.take(failureBucket(client), failedAuthPerMinute, MINUTE_MS, 1);
  if (!failures.granted) throw tooManyFailures(failures);
}

/** No other limit has windows of these lengths, so these buckets do not push other buckets out of the limiter. */
const LOOK_UPS_WINDOW_MS = 2_000;
const LOOKED_UP_WINDOW_MS = 2 * MINUTE_MS;

/**
 * Decides whether the database is asked for an unknown token of a client with too many failures. Without such look-ups,
 * a stranger with the same address could lock out a key that this process has not seen yet. A client has as many look-ups
 * as allowed failures, spread evenly over time. Each token has one look-up, so a client that repeats a wrong token does
 * not use up the look-ups of others.
 */
async function takeLookUp(
  client: string,
  token: string,
  failures: Grant,
  { limiter, failedAuthPerMinute }: AuthenticationOptions,
): Promise<Grant> {
  const lookedUp = `looked up ${hash('sha256', token, 'base64url')}`;
  const first = await limiter.take(lookedUp, 1, LOOKED_UP_WINDOW_MS, 0);
  if (!first.granted) return { ...failures, granted: false };
  const perWindow = Math.ceil((failedAuthPerMinute * LOOK_UPS_WINDOW_MS) / MINUTE_MS);
  const lookUps = await limiter.take(`look-ups ${client}`, perWindow, LOOK_UPS_WINDOW_MS, 1);
  if (lookUps.granted) await limiter.take(lookedUp, 1, LOOKED_UP_WINDOW_MS, 1);
  return lookUps;
}
