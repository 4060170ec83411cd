/** The text form of times in the API, in cursors and in audit entries. */
const TIME_TEXT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/**
 * SQL for a timestamptz in the text form of the API, with microseconds. The expression is SQL of this program, never
 * text of a request.
 */
export const utc = (expression: string): string => `to_char(${expression} at time zone 'UTC', ${TIME_TEXT})`;
