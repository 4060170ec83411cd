/** How a time is written as text: what the wire, a cursor and an entry of the audit log have. */
const TIME_TEXT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** SQL that writes a timestamptz as the API does, with its microseconds. The expression is our code, never a request's text. */
export const utc = (expression: string): string => `to_char(${expression} at time zone 'UTC', ${TIME_TEXT})`;
