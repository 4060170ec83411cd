import type { Time } from '@svc/sdk';
import { DAY_MS } from './ms.ts';

/** Times as the clocks of a zone show them, such as `2026-03-01T09:30`: the values of the browser's input for dates. */

/** The `max` of such an input: without it, the browser accepts longer years, which a time of the API cannot have. */
export const LAST_MINUTE = '9999-12-31T23:59';

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;
const MINUTE_CHARACTERS = 16;
const SECOND_CHARACTERS = 19;

/** How far the clocks of the zone are ahead of UTC at this time, in milliseconds. */
function offsetMs(atMs: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(name) ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}

/** What the clocks of the zone show at this time, as a time in UTC. */
function shownAt(time: Time, zone: string): Date {
  const ms = Date.parse(time);
  return new Date(ms + offsetMs(ms, zone));
}

/** What the clocks of the zone show at this time, to the minute. */
export const wallTime = (time: Time, zone: string): string =>
  shownAt(time, zone).toISOString().slice(0, MINUTE_CHARACTERS);

/**
 * The time after a person has changed the input from `before` (empty: no time) to `wall`. It keeps the seconds of `before`
 * if hour and minute are the same, as when only the day changes.
 */
export function changedWall(wall: string, zone: string, before: Time | ''): Time {
  const changed = timeOfWall(wall, zone);
  if (before === '' || clockOf(wallTime(before, zone)) !== clockOf(wall)) return changed;
  // As the clocks of the zone show them: while a person types the year, the input has years with offsets of seconds.
  const seconds = shownAt(before, zone).getUTCSeconds();
  const toSecond = new Date(Date.parse(changed) + seconds * 1_000).toISOString().slice(0, SECOND_CHARACTERS);
  return toSecond + before.slice(SECOND_CHARACTERS);
}

/** Hour and minute. */
const clockOf = (wall: string): string => wall.slice(wall.indexOf('T'));

/**
 * The time at which the clocks of the zone show this. If they show it twice, the first time; if they skip it, as much later
 * as they skip.
 */
export function timeOfWall(wall: string, zone: string): Time {
  const asUtc = Date.parse(`${wall}Z`);
  // The offsets before and after a change of the clocks nearby.
  const [before, after] = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => offsetMs(ms, zone)) as [
    number,
    number,
  ];
  const times = [before, after].map((offset) => asUtc - offset);
  const shown = times.filter((ms) => ms + offsetMs(ms, zone) === asUtc);
  return new Date(shown.length > 0 ? Math.min(...shown) : asUtc - before).toISOString();
}
