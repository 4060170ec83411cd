import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';

const BYTES = 16;

/** A new idempotency key. Not `crypto.randomUUID`: browsers have that on secure addresses only. */
export function newIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The caller's key, or a new one. Throws {@link SvcError} on null and empty text: the caller meant to have one. */
export function checkedIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return newIdempotencyKey();
  if (typeof key === 'string' && key !== '') return key;
  throw new SvcError(`"idempotencyKey" must be text that is not empty, not ${textOf(key)}.`);
}
