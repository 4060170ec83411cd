import { hkdfSync } from 'node:crypto';

/**
 * The purposes that keys are derived for, and the kinds of values that depend on each. Each purpose gets an independent
 * key from the same secret. Secrets are used only through such keys, so a new kind of value needs an entry here. The test
 * of a rotation (service/test/rotation/rotation.test.ts) does not compile without a case for each kind.
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
    'cookie of a sign-in with OpenID Connect',
    'authenticator secret',
    'backup codes',
  ],
  'webhook secrets': ['secret of a webhook endpoint'],
  fingerprint: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Purpose = keyof typeof SEALED_BY;
/** A kind of value that only the secret that made it can read. */
export type SealedKind = (typeof SEALED_BY)[Purpose][number];

const KEY_BYTES = 32;

/** A 32-byte key for one purpose, derived from a deployment secret (HKDF-SHA-256). */
export const deriveKey = (secret: string, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'svc', purpose, KEY_BYTES));

/** Identifies a secret without revealing it. */
export const fingerprintOf = (secret: string): string => deriveKey(secret, 'fingerprint').toString('hex');
