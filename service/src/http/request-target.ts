/**
 * The path and query of a request target, with one spelling for each path (RFC 3986, 6.2.2): no scheme and host, letters,
 * digits and `-._~` never percent-encoded, hexadecimal digits in capitals. The router, the audit log and idempotency
 * keys all see this spelling, so no request can hide from a filter of the log.
 */
export function canonicalTarget(target: string): string {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const [path = ''] = url.split('?', 1);
  return `${canonicalPath(path === '' ? '/' : path)}${url.slice(path.length)}`;
}

/** A percent sign that encodes nothing stands for itself: such a path names nothing, and goes the same way as any other. */
function canonicalPath(path: string): string {
  if (!path.includes('%')) return path;
  if (!isDecodable(path)) return path.replaceAll('%', '%25');
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
