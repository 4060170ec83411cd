/** SQL for a timestamptz as text of the API, with microseconds. The expression is SQL of this program, not of a request. */
export const utc = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The same without fractions of a second. */
export const utcSeconds = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/**
 * SQL for a timestamptz plus so many microseconds. PostgreSQL calls `timestamptz + interval` stable, because a day of an
 * interval may have 23 hours, and Citus refuses it where a statement changes a column. This expression is immutable.
 */
export const plusMicroseconds = (time: string, count: string | number): string =>
  `((${time} at time zone 'UTC') + ${count} * interval '1 microsecond') at time zone 'UTC'`;

/** SQL for the microseconds of a timestamptz since 1970. It is immutable. */
export const microseconds = (time: string): string =>
  `(extract(epoch from ${time} at time zone 'UTC') * 1000000)::bigint`;
