/** The Content-Type of responses with JSON. */
export const JSON_UTF8 = 'application/json; charset=utf-8';
