import type { FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../durations.ts';
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
  if (!before.granted) throw tooMany(before);
  const key = token === undefined ? undefined : await authenticator.authenticate(token);
  if (key !== undefined) return key;
  // Of many at the same instant as many are told as the limit allows.
  const after = await limiter.take(failures, failedAuthPerMinute, MINUTE_MS, 1);
  throw after.granted ? invalidKey(true) : tooMany(after);
}
