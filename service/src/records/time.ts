/**
 * Times as text, exact to the microsecond: the fraction never passes through a JavaScript `Date`.
 *
 * The canonical form is ISO 8601 UTC with `Z`. Times that the service gives always have six fractional digits, so
 * that their text sorts like the times; others have 0, 3 or 6, whichever is the shortest exact one.
 */
export type Precision = 'shortest' | 'microseconds';

export const TIME_ALLOWED =
  'an ISO 8601 date and time with Z or an offset, year 0001 to 9999, to the microsecond, such as 2026-03-01T09:30:00Z';

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})0*)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/i;
/** `2026-03-01T09:30:00` */
const SECONDS_LENGTH = 19;
const FRACTION_DIGITS = 6;
const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MINUTES_PER_HOUR = 60;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** The canonical form of an ISO 8601 time with `Z` or an offset; undefined when the text is no such time. */
export function canonicalTime(text: string, precision: Precision): string | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute = '0'] =
    match;
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  let seconds = text.slice(0, SECONDS_LENGTH).toUpperCase();
  if (sign === undefined) {
    if (year === '0000') return undefined;
  } else {
    if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
    const offset = Number(`${sign}1`) * (Number(offsetHour) * MINUTES_PER_HOUR + Number(offsetMinute));
    const ms = Date.parse(`${seconds}Z`) - offset * MS_PER_MINUTE;
    if (ms < FIRST_MS || ms > LAST_MS) return undefined;
    seconds = new Date(ms).toISOString().slice(0, SECONDS_LENGTH);
  }
  return seconds + fractionOf(fraction, precision);
}

const MONTHS_OF_30_DAYS: readonly number[] = [4, 6, 9, 11];

/** 0 for a month that there is not. */
function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return MONTHS_OF_30_DAYS.includes(month) ? 30 : 31;
}

function fractionOf(digits: string, precision: Precision): string {
  const micros = digits.padEnd(FRACTION_DIGITS, '0');
  if (precision === 'microseconds') return `.${micros}Z`;
  if (!micros.endsWith('000')) return `.${micros}Z`;
  return micros === '000000' ? 'Z' : `.${micros.slice(0, 3)}Z`;
}
