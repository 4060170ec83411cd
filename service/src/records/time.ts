import type pg from 'pg';
import { preparedStatement } from '../database/statement.ts';

/**
 * Times as text, exact to the microsecond: the fraction never becomes part of a JavaScript `Date`.
 *
 * The canonical form is ISO 8601 UTC with `Z`. Times that the service sets always have six fractional digits, so that
 * their texts sort like the times. Other times have 0, 3 or 6, the fewest that are exact.
 */
export type Precision = 'shortest' | 'microseconds';

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
/** `2026-03-01T09:30:00` */
const SECONDS_LENGTH = 19;
const MICROS_PER_SECOND = 1_000_000;
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

const secondsText = (ms: number): string => new Date(ms).toISOString().slice(0, SECONDS_LENGTH);

const DAYS_OF_FEBRUARY = 28;
const MONTHS_OF_30_DAYS: readonly number[] = [4, 6, 9, 11];

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : DAYS_OF_FEBRUARY;
  return MONTHS_OF_30_DAYS.includes(month) ? 30 : 31;
}

function fractionText(micros: number, precision: Precision): string {
  if (precision === 'microseconds' || micros % 1000 !== 0) return `.${String(micros).padStart(6, '0')}Z`;
  return micros === 0 ? 'Z' : `.${String(micros / 1000).padStart(3, '0')}Z`;
}

/** Microseconds since the epoch, UTC. Exact in a number until the year 2255. */
export type Micros = number;

const advanceClock = preparedStatement('allocate_timestamps', 'request')`
  update workspace_clocks
  set last_at = greatest(clock_timestamp(), last_at + interval '1 microsecond') + ($2::int - 1) * interval '1 microsecond'
  where workspace_id = $1
  returning (extract(epoch from last_at) * 1000000)::bigint as last`;

/**
 * Locks the clock of the workspace until the transaction ends, and allocates `count` consecutive microseconds. Returns
 * the first one. Every transaction that writes records must hold this lock, so that created_at rises in commit order.
 */
export async function allocateTimestamps(
  client: pg.ClientBase,
  workspaceId: string,
  count: number,
): Promise<Micros> {
  const { rows } = await client.query<{ last: number }>(advanceClock(workspaceId, count));
  const [row] = rows;
  if (row === undefined) throw new Error('The workspace has no clock.');
  return row.last - (count - 1);
}

const selectClockForShare = preparedStatement('lock_clock_shared', 'request')`
  select 1 from workspace_clocks c where workspace_id = $1 and last_at = $2 and not exists (
    select from pg_locks l where l.locktype = 'tuple' and l.relation = 'workspace_clocks'::regclass
      and l.database = (select oid from pg_database where datname = current_database()))
  for share of c skip locked`;

/**
 * Takes a shared lock on the clock of the workspace, until the transaction ends. While it is held, no transaction can
 * allocate timestamps. Returns false, without a lock, if timestamps were allocated after `last` or if a transaction
 * waits for a workspace's clock: a transaction that waits for a row holds a tuple lock.
 */
export async function lockClockShared(
  client: pg.ClientBase,
  workspaceId: string,
  last: Micros,
): Promise<boolean> {
  const { rowCount } = await client.query(selectClockForShare(workspaceId, timeOfMicros(last)));
  return rowCount === 1;
}

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
