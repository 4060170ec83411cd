import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';

const BYTES = 16;

/**
 * Returns a new random idempotency key. Browsers offer `crypto.randomUUID` only on HTTPS pages, so this does not use
 * it.
 */
export function newIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the caller's key, or a new one if it is undefined. Throws {@link SvcError} if it is null, empty or not a
 * string.
 */
export function checkedIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return newIdempotencyKey();
  if (typeof key === 'string' && key !== '') return key;
  throw new SvcError(`"idempotencyKey" must be a non-empty string, not ${textOf(key)}.`);
}
