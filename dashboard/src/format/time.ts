import type { Time } from '@svc/sdk';

/** Times of the wire (UTC, up to microseconds) in the viewer's zone and language. */

/** Names the zone. */
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const stamp = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on a date says more than a number of days. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;

export const formatTime = (time: Time): string => dateTime.format(new Date(time));
/** "Mar 01, 09:30:00": to the second, without the year. */
export const formatStamp = (time: Time): string => stamp.format(new Date(time));
export const formatDate = (time: Time): string => date.format(new Date(time));

/** `2026-03-01 09:30:00 UTC`, whatever the viewer's language. */
export const formatUtc = (time: Time): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** "5 minutes ago"; a date when that is long ago or far ahead. */
export function formatRelative(time: Time, nowMs: number): string {
  const difference = new Date(time).getTime() - nowMs;
  if (Math.abs(difference) > RELATIVE_MAX_MS) return formatDate(time);
  for (const [unit, size] of UNITS) {
    if (Math.abs(difference) >= size) return relative.format(Math.round(difference / size), unit);
  }
  return difference > 0 ? 'in a moment' : 'just now';
}

/** The viewer's time zone, such as `Europe/Berlin`, in which times are shown. */
export const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
