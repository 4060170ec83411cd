/**
 * The URL with a path that can be decoded: percent signs that encode nothing stand for themselves. So such a path
 * is one that names nothing, and takes the same way as any other: authenticated, not found, audited.
 */
export function decodablePath(url: string): string {
  const [path = ''] = url.split('?', 1);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
