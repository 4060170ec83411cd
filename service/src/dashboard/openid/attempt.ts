import { createHash, randomBytes } from 'node:crypto';
import type { SignInSecrets } from '@svc/openid-sign-in';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { OPENID_ATTEMPT_SECONDS } from '../limits.ts';

const PATH_MAX_CHARACTERS = 1024;

/** A path of the dashboard: never another site, which browsers would also read from `//` or `/\`. */
export const pagePath = Type.String({
  maxLength: PATH_MAX_CHARACTERS,
  pattern: '^/(?![/\\\\])[\\x21-\\x7e]*$',
  allowed: 'a path of the dashboard, such as /account',
});

const SECRET_BYTES = 32;

/** A sign-in that waits for the provider. The browser keeps it in a signed cookie; the database has nothing of it. */
export interface Attempt {
  /** State, nonce and verifier are hashes of it. */
  readonly secret: string;
  /** Milliseconds. */
  readonly expiresAt: number;
  /** The page to open after the sign-in. */
  readonly next: string;
  /** A hash of the person who connects their account, and the password. Undefined: somebody signs in. */
  readonly person?: string;
}

export const newAttempt = (now: number, next: string, person?: string): Attempt => ({
  secret: randomBytes(SECRET_BYTES).toString('base64url'),
  expiresAt: now + OPENID_ATTEMPT_SECONDS * 1000,
  next,
  ...(person === undefined ? {} : { person }),
});

/** The state is in URLs. The secret and the other texts cannot be derived from it. */
export function secretsOf({ secret }: Attempt): SignInSecrets {
  const derive = (purpose: string): string =>
    createHash('sha256').update(`${purpose} ${secret}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

export const attemptText = (attempt: Attempt): string =>
  Buffer.from(JSON.stringify(attempt)).toString('base64url');

/** The attempt of the browser to which the provider answers. Undefined: it is another one, too old, or no attempt at all. */
export function attemptOf(
  { signInCookies }: FastifyRequest,
  state: string,
  now: number,
): Attempt | undefined {
  if (signInCookies.openid === undefined) return undefined;
  try {
    // The signature of the cookie is ours.
    const attempt = JSON.parse(Buffer.from(signInCookies.openid, 'base64url').toString()) as Attempt;
    return attempt.expiresAt > now && secretsOf(attempt).state === state ? attempt : undefined;
  } catch {
    return undefined;
  }
}
