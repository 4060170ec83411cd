import { hkdfSync } from 'node:crypto';

/**
 * What a key is derived for, and the kinds of values that depend on it. Each purpose gets an independent key of the
 * same secret. This is the only way to use a secret, so a new kind of value needs an entry here; the test of a
 * rotation (test/rotation/) has a case for every kind and does not compile without one.
 */
export const SEALED_BY = {
  'token index': ['API key'],
  'cursor encryption': ['cursor'],
  'cursor nonce': ['cursor'],
  'dashboard sessions': [
    'session cookie',
    'cookie of the second step',
    'cookie of a session that ends with the browser',
    'cookie of a known device',
    'authenticator secret',
    'backup codes',
  ],
  fingerprint: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Purpose = keyof typeof SEALED_BY;
/** A kind of value that can be read only with the secret it was made with. */
export type SealedKind = (typeof SEALED_BY)[Purpose][number];

const KEY_BYTES = 32;

/** A 32-byte key for one purpose, derived from a deployment secret (HKDF-SHA-256). */
export const deriveKey = (secret: string, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'svc', purpose, KEY_BYTES));

/** Names a secret without saying anything about it. */
export const fingerprintOf = (secret: string): string => deriveKey(secret, 'fingerprint').toString('hex');
