/** The text form of times in the API, in cursors and in audit entries. */
const TIME_TEXT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/**
 * SQL for a timestamptz in the text form of the API, with microseconds. The expression is SQL of this program, never
 * text of a request.
 */
export const utc = (expression: string): string => `to_char(${expression} at time zone 'UTC', ${TIME_TEXT})`;

/**
 * SQL for a timestamptz plus so many microseconds. PostgreSQL calls `timestamptz + interval` stable, because a day of an
 * interval may have 23 hours, and Citus refuses it where a statement changes a column. This expression is immutable.
 */
export const plusMicroseconds = (time: string, count: string | number): string =>
  `((${time} at time zone 'UTC') + ${count} * interval '1 microsecond') at time zone 'UTC'`;

/** SQL for the microseconds of a timestamptz since 1970. It is immutable. */
export const microseconds = (time: string): string =>
  `(extract(epoch from ${time} at time zone 'UTC') * 1000000)::bigint`;
