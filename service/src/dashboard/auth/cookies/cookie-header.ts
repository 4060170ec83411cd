/** Each name in a Cookie header with its different values. The work is linear: anyone can send this header. */
export function parseCookies(header: string): ReadonlyMap<string, ReadonlySet<string>> {
  const cookies = new Map<string, Set<string>>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1) continue;
    const name = pair.slice(0, at).trim();
    const values = cookies.get(name) ?? new Set();
    cookies.set(name, values.add(withoutQuotes(pair.slice(at + 1).trim())));
  }
  return cookies;
}

const withoutQuotes = (value: string): string =>
  value.slice(value.startsWith('"') ? 1 : 0, value.endsWith('"') && value.length > 1 ? -1 : undefined);
