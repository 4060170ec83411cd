import type { Time } from '@svc/sdk';
import { LOCALE } from './locale.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './ms.ts';
import { TICK_MS } from './now.ts';
import { timeZone } from './time-zone.ts';

/**
 * Formats the times of the API (UTC, up to microseconds). All in one style: "Mar 1, 2026, 09:30:00 GMT+1". The zone of the
 * viewer is the chosen one (time-zone.ts), at the time of the call.
 */

const DAY = { month: 'short', day: 'numeric' } as const;
const MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SECOND = { ...MINUTE, second: '2-digit' } as const;

/** In the viewer's zone, unless the options have another one. */
const formatter = (options: Intl.DateTimeFormatOptions): ((time: Time) => string) => {
  let format: { readonly zone: string; readonly of: Intl.DateTimeFormat } | undefined;
  return (time) => {
    const zone = options.timeZone ?? timeZone();
    if (format?.zone !== zone)
      format = { zone, of: new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone }) };
    return format.of.format(new Date(time));
  };
};

/** "Mar 1, 2026, 09:30:00 GMT+1", in the viewer's zone. */
export const formatTime = formatter({ year: 'numeric', ...DAY, ...SECOND, timeZoneName: 'short' });
/** "Mar 1, 2026, 08:30:00 UTC" */
export const formatUtc = formatter({
  year: 'numeric',
  ...DAY,
  ...SECOND,
  timeZone: 'UTC',
  timeZoneName: 'short',
});
/** "Mar 1, 2026", in the viewer's zone. */
export const formatDate = formatter({ year: 'numeric', ...DAY });
const stamp = formatter({ ...DAY, ...SECOND });
const stampWithYear = formatter({ year: 'numeric', ...DAY, ...SECOND });
const year = formatter({ year: 'numeric' });
/** "Mar 1, 09:30:00", in the viewer's zone, and the year if it is not this one. For tables that name the zone elsewhere. */
export const formatStamp = (time: Time): string =>
  year(time) === year(new Date().toISOString()) ? stamp(time) : stampWithYear(time);
/** "Mar 1, 09:00 GMT+1", in the viewer's zone. */
export const formatHour = formatter({ ...DAY, ...MINUTE, timeZoneName: 'short' });
const utcDay = formatter({ ...DAY, timeZone: 'UTC' });
/** "Mar 1 (UTC)". Quotas and daily figures are per day in UTC, wherever the viewer is. */
export const formatUtcDay = (time: Time): string => `${utcDay(time)} (UTC)`;

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always' });

/** A longer time is shown as a date. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;

/**
 * "5 minutes ago", or a date if the time is more than 30 days away. A time that is after `nowMs` by less than a tick of the
 * clock is "just now": it is a change since the last tick.
 */
export function formatRelative(time: Time, nowMs: number): string {
  const difference = new Date(time).getTime() - nowMs;
  if (Math.abs(difference) > RELATIVE_MAX_MS) return formatDate(time);
  for (const [unit, size] of UNITS) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  }
  return difference >= TICK_MS ? 'in a moment' : 'just now';
}

/** Like `formatRelative`, for what is still to come: it is never "just now". */
export const formatUpcoming = (time: Time, nowMs: number): string => {
  const text = formatRelative(time, nowMs);
  return text === 'just now' && new Date(time).getTime() > nowMs ? 'in a moment' : text;
};
