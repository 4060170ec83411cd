/**
 * Times as text, exact to the microsecond: the fraction never becomes part of a JavaScript `Date`.
 *
 * The canonical form is ISO 8601 UTC with `Z`. Times that the service sets always have six fractional digits, so that
 * their texts sort like the times. Other times have 0, 3 or 6, the fewest that are exact.
 */
export type Precision = 'shortest' | 'microseconds';

/** `2026-03-01T09:30:00` */
export const SECONDS_LENGTH = 19;
export const MICROS_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1000;

/** Microseconds since the epoch, UTC. Exact in a number until the year 2255. */
export type Micros = number;

/** The inverse of {@link timeOfMicros}. */
export const microsOfTime = (time: string): Micros =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1000 + Number(time.slice(20, 26));

/** The second of the last call of timeOfMicros: most records of a batch have the same. */
let lastSecond = { second: Number.NaN, text: '' };

/** `2026-03-01T09:30:00.123456Z`, always six fractional digits. */
export function timeOfMicros(micros: Micros): string {
  const second = Math.floor(micros / MICROS_PER_SECOND);
  if (second !== lastSecond.second) lastSecond = { second, text: secondsText(second * MS_PER_SECOND) };
  return lastSecond.text + fractionText(micros - second * MICROS_PER_SECOND, 'microseconds');
}

export const secondsText = (ms: number): string => new Date(ms).toISOString().slice(0, SECONDS_LENGTH);

export function fractionText(micros: number, precision: Precision): string {
  if (precision === 'microseconds' || micros % 1000 !== 0) return `.${String(micros).padStart(6, '0')}Z`;
  return micros === 0 ? 'Z' : `.${String(micros / 1000).padStart(3, '0')}Z`;
}
