const SECOND_MS = 1000;
/** The date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Converts `Retry-After` to whole seconds from now, at least 0. Undefined if it is neither seconds nor a date of HTTP. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header);
  const dateMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / SECOND_MS));
}
