import { textOf } from '../checked-options.ts';
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from '../contract/index.ts';
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

/** The number of a batch, which is added to the key, has at most so many characters with its dot. */
const NUMBER_MAX_CHARACTERS = 15;
const BATCHES_KEY_MAX_CHARACTERS = IDEMPOTENCY_KEY_MAX_CHARACTERS - NUMBER_MAX_CHARACTERS;

/** Like {@link checkedIdempotencyKey}, for a call that sends batches. Also throws if the key is too long for it. */
export function checkedBatchesKey(key: string | undefined): string {
  const checked = checkedIdempotencyKey(key);
  if (checked.length <= BATCHES_KEY_MAX_CHARACTERS) return checked;
  throw new SvcError(
    `"idempotencyKey" must have at most ${BATCHES_KEY_MAX_CHARACTERS} characters, not ${checked.length}: the number of each batch is added to it.`,
  );
}
