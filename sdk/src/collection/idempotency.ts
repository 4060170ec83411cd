const BYTES = 16;

/** A new idempotency key. Not `crypto.randomUUID`: browsers have that on secure addresses alone. */
export function newIdempotencyKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
