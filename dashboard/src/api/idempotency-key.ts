import { useState } from 'react';

const KEY_BYTES = 16;

/** Not randomUUID: that is missing where the service is reached by plain HTTP. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * The Idempotency-Key of the dialog that calls this, the same until it closes. A second request of the dialog, such as
 * the retry after a lost response, creates nothing new.
 */
export const useIdempotencyKey = (): string => useState(newIdempotencyKey)[0];
