import { createHmac } from 'node:crypto';

/** As better-auth sets authenticators up: RFC 6238 with its defaults. */
const PERIOD_MS = 30_000;
const DIGITS = 6;
/** Periods before and after the present one whose codes better-auth accepts, for clocks that differ. */
const WINDOW = 1;

/** The latest period that an authenticator with this secret shows the code in; undefined: none that is accepted now. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / PERIOD_MS);
  for (let step = now + WINDOW; step >= now - WINDOW; step--) {
    if (codeOfStep(secret, step) === code) return step;
  }
  return undefined;
}

function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}
