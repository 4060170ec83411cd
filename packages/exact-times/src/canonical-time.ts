import { fractionText, MICROS_PER_SECOND, type Precision, SECONDS_LENGTH, secondsText } from './micros.ts';

export const TIME_ALLOWED =
  'an ISO 8601 date and time with Z or an offset, year 0001 to 9999, to the microsecond, such as 2026-03-01T09:30:00Z';

const HOUR = '(?:[01]\\d|2[0-3])';
const DATE = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
/** Each part is in its range, but the day may be after the end of its month. Has no groups, because matches cost memory. */
const SHAPE = new RegExp(
  `^${DATE}T${HOUR}(?::[0-5]\\d){2}(?:\\.\\d{1,6}0*)?(?:Z|[+-]${HOUR}(?::?[0-5]\\d)?)$`,
  'i',
);
const OFFSET = /([+-])(\d\d):?(\d\d)?$/;
const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MINUTES_PER_HOUR = 60;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** The canonical form of an ISO 8601 time with `Z` or an offset. Undefined: the text is not such a time. */
export function canonicalTime(text: string, precision: Precision): string | undefined {
  if (!SHAPE.test(text)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > DAYS_OF_FEBRUARY && day > daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7))))
    return undefined;
  const rest = text.slice(SECONDS_LENGTH);
  let seconds = text.slice(0, SECONDS_LENGTH);
  if (seconds.includes('t')) seconds = seconds.toUpperCase();
  if (rest.endsWith('Z') || rest.endsWith('z')) {
    if (seconds.startsWith('0000')) return undefined;
  } else {
    const [, sign, hours, minutes = '0'] = OFFSET.exec(rest) ?? [];
    const offset = Number(`${sign}1`) * (Number(hours) * MINUTES_PER_HOUR + Number(minutes));
    const ms = Date.parse(`${seconds}Z`) - offset * MS_PER_MINUTE;
    if (ms < FIRST_MS || ms > LAST_MS) return undefined;
    seconds = secondsText(ms);
  }
  const fraction = rest.startsWith('.') ? Number.parseFloat(rest) : 0;
  return seconds + fractionText(Math.round(fraction * MICROS_PER_SECOND), precision);
}

const DAYS_OF_FEBRUARY = 28;
const MONTHS_OF_30_DAYS: readonly number[] = [4, 6, 9, 11];

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : DAYS_OF_FEBRUARY;
  return MONTHS_OF_30_DAYS.includes(month) ? 30 : 31;
}
