import { useState } from 'react';

const KEY_BYTES = 16;

/** A new random key. crypto.randomUUID does not exist on pages that are loaded over plain HTTP. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * The Idempotency-Key of a dialog, the same until the dialog closes. A second request of the dialog, such as the retry
 * after a lost response, then creates nothing new.
 */
export const useIdempotencyKey = (): string => useState(newIdempotencyKey)[0];
