import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../config/durations.ts';
import { countedAddress, networkOf } from '../http/client-address.ts';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey, Authenticator } from '../keys/authenticate.ts';
import type { Grant, Limiter } from '../quota/limiter.ts';
import { parseBearer } from './bearer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request has authenticated, also when it is refused afterwards. */
    key: AuthenticatedKey | null;
    /** What the burst limit said, when the key has one. */
    burst: Grant | null;
  }
}

export interface AuthenticationOptions {
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly failedAuthPerMinute: number;
}

export const BURST_WINDOW_MS = 1_000;

/** One message for every reason, so that an answer never tells an unknown key from a revoked one. */
export const invalidKey = (tokenSent: boolean): ApiError =>
  new ApiError('invalid_key', 'The API key is invalid or has been revoked.', {
    'www-authenticate': tokenSent ? 'Bearer error="invalid_token"' : 'Bearer',
  });

const rateLimited = (message: string, { resetMs }: Grant): ApiError =>
  new ApiError('rate_limited', message, { 'retry-after': String(Math.max(1, Math.ceil(resetMs / 1000))) });

/**
 * Authenticates a request as a workspace's key (specification, section 5) or throws the refusal: shape, failures of the
 * address, look-up, burst limit, in this order.
 */
export async function authenticate(request: FastifyRequest, options: AuthenticationOptions): Promise<void> {
  const bearer = parseBearer(request.headers.authorization);
  if (bearer.kind === 'missing') throw invalidKey(false);
  const remembered = bearer.kind === 'token' ? options.authenticator.remembered(bearer.token) : undefined;
  const token = bearer.kind === 'token' ? bearer.token : undefined;
  const key = remembered ?? (await lookUp(networkOf(countedAddress(request)), token, options));
  request.key = key;
  if (key.burstLimit === null) return;
  request.burst = await options.limiter.take(`burst ${key.keyId}`, key.burstLimit, BURST_WINDOW_MS, 1);
  if (!request.burst.granted)
    throw rateLimited(`This key may make ${key.burstLimit} requests a second.`, request.burst);
}

async function lookUp(
  network: string,
  token: string | undefined,
  options: AuthenticationOptions,
): Promise<AuthenticatedKey> {
  const { authenticator, limiter, failedAuthPerMinute } = options;
  const failures = `failed authentication ${network}`;
  const tooMany = (grant: Grant): ApiError =>
    rateLimited('Too many failed authentications from this address.', grant);
  const before = await limiter.take(failures, failedAuthPerMinute, MINUTE_MS, 0);
  if (!before.granted && (token === undefined || !authenticator.wasValid(token))) {
    const chance = token === undefined ? before : await takeLookUp(network, token, before, options);
    if (!chance.granted) throw tooMany(chance);
  }
  const key = token === undefined ? undefined : await authenticator.authenticate(token);
  if (key !== undefined) return key;
  // With concurrent failures, only as many as the limit allows get 401; the rest get 429.
  const after = await limiter.take(failures, failedAuthPerMinute, MINUTE_MS, 1);
  throw after.granted ? invalidKey(true) : tooMany(after);
}

/** Not the length of any other window: what fills these buckets pushes out none of the others. */
const LOOK_UPS_WINDOW_MS = 2_000;
const LOOKED_UP_WINDOW_MS = 2 * MINUTE_MS;

/**
 * Whether an unknown token of an address with too many failures is looked up all the same: otherwise a stranger behind
 * the same address could lock out a key that this process has not seen yet. There are as many look-ups again as failures
 * are allowed, evenly over time, and one for each token: a client that repeats a wrong token takes none from others.
 */
async function takeLookUp(
  network: string,
  token: string,
  failures: Grant,
  { limiter, failedAuthPerMinute }: AuthenticationOptions,
): Promise<Grant> {
  const lookedUp = `looked up ${hash('sha256', token, 'base64url')}`;
  const first = await limiter.take(lookedUp, 1, LOOKED_UP_WINDOW_MS, 0);
  if (!first.granted) return { ...failures, granted: false };
  const perWindow = Math.ceil((failedAuthPerMinute * LOOK_UPS_WINDOW_MS) / MINUTE_MS);
  const chance = await limiter.take(`look-ups ${network}`, perWindow, LOOK_UPS_WINDOW_MS, 1);
  if (chance.granted) await limiter.take(lookedUp, 1, LOOKED_UP_WINDOW_MS, 1);
  return chance;
}
