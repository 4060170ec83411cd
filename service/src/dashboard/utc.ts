/** SQL that writes a timestamptz as the API does. The column is a name in our code, never a request's text. */
export const utc = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
