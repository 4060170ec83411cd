/** The text of a query string with `?`, without what is undefined; empty when nothing is left. */
export function queryText(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.append(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** An id as a segment of a path. Throws TypeError on what would name another path. */
export function idSegment(id: string): string {
  if (typeof id !== 'string' || ['', '.', '..'].includes(id)) {
    throw new TypeError(`An id must be text that is not empty, not ${JSON.stringify(id)}.`);
  }
  return encodeURIComponent(id);
}
