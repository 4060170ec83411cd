import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyMode } from '@svc/sdk';
import { TOKEN_PREFIXES, TOKEN_RANDOM_CHARACTERS } from '@svc/sdk/contract';

/** Pure functions of the text of a token (specification, section 5). They use no database and no log. */

const SALT_BYTES = 16;
/** A character of base64url has 6 bits. */
const RANDOM_BYTES = (TOKEN_RANDOM_CHARACTERS * 6) / 8;
const HINT_CHARACTERS = 4;

/** A new token: the mode's prefix and 32 URL-safe random characters. */
export const newToken = (mode: KeyMode): string =>
  TOKEN_PREFIXES[mode] + randomBytes(RANDOM_BYTES).toString('base64url');

/** The part of a token that is stored and shown: `svc_live_…9xQ2`. */
export const tokenHint = (token: string): string =>
  `${token.slice(0, TOKEN_PREFIXES.live.length)}…${token.slice(-HINT_CHARACTERS)}`;

/** The blind index that finds the row of a token: HMAC-SHA-256 with the deployment's secret. */
export const tokenIndex = (token: string, indexKey: Buffer): Buffer =>
  createHmac('sha256', indexKey).update(token).digest();

export const newSalt = (): Buffer => randomBytes(SALT_BYTES);

/** SHA-256 is enough for 192 random bits. Slow hashes are for passwords. */
export const saltedHash = (token: string, salt: Buffer): Buffer =>
  createHash('sha256').update(salt).update(token).digest();

/** Compares in constant time. */
export const matchesHash = (token: string, salt: Buffer, hash: Buffer): boolean =>
  timingSafeEqual(saltedHash(token, salt), hash);
