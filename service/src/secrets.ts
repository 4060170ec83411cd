import { hkdfSync } from 'node:crypto';

/** What a key is derived for; each purpose gets an independent key of the same secret. */
type Purpose = 'cursor encryption' | 'cursor nonce' | 'token index' | 'dashboard sessions' | 'fingerprint';

const KEY_BYTES = 32;

/** A 32-byte key for one purpose, derived from a deployment secret (HKDF-SHA-256). */
export const deriveKey = (secret: string, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'svc', purpose, KEY_BYTES));
