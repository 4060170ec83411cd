const SECOND_MS = 1000;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** The pauses after each failed attempt, about 76 hours together. */
const PAUSES_S: readonly number[] = [
  5,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
  14 * HOUR_S,
  20 * HOUR_S,
  24 * HOUR_S,
];
/** A receiver cannot ask for a longer pause. */
const RETRY_AFTER_MAX_S = 24 * HOUR_S;
/** The part of a pause by which it may be shorter or longer, so that many events do not arrive at the same instant. */
const JITTER = 0.1;

/** How often a delivery is tried. */
export const ATTEMPTS_MAX = PAUSES_S.length + 1;

/**
 * The pause before the next attempt, after this number of failed attempts. Undefined: that was the last one. `random` is
 * from 0 to 1. With `Retry-After`, the pause is at least that long, up to a day.
 */
export function retryPauseMs(
  attempts: number,
  random: number,
  retryAfterSeconds: number | undefined,
): number | undefined {
  const pause = PAUSES_S[attempts - 1];
  if (pause === undefined) return undefined;
  const jittered = pause * (1 + JITTER * (2 * random - 1));
  return Math.max(jittered, Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_MAX_S)) * SECOND_MS;
}
