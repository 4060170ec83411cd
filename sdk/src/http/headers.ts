import { SvcError } from '../errors.ts';

/** Request headers: an object, or an iterable of pairs such as `Headers`. */
export type HeadersInput =
  | Readonly<Record<string, string | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/**
 * Merges groups of headers into one object with lower-case names. A later group replaces headers of an earlier one. A
 * header whose value is undefined is left out. Throws {@link SvcError} if a group has a header twice, or if a header
 * contains forbidden characters: `fetch` refuses those with the same error as a network failure.
 */
export function joinHeaders(...groups: readonly HeadersInput[]): Record<string, string> {
  return Object.assign({}, ...groups.map(checkedGroup));
}

function checkedGroup(group: HeadersInput): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairsOf(group)) {
    if (value === undefined) continue;
    const key = String(name).toLowerCase();
    if (typeof value !== 'string')
      throw new SvcError(`The header ${JSON.stringify(key)} must be a string, not ${String(value)}.`);
    if (!/^[\w-]+$/.test(key) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new SvcError(
        `The header ${JSON.stringify(key)} contains characters that are not allowed in a header.`,
      );
    if (Object.hasOwn(headers, key)) throw new SvcError(`The header ${JSON.stringify(key)} is given twice.`);
    headers[key] = value;
  }
  return headers;
}

function pairsOf(group: HeadersInput): Iterable<readonly [string, unknown]> {
  if (typeof group !== 'object' || group === null)
    throw new SvcError('"headers" must be an object with one property per header.');
  return Symbol.iterator in group ? group : Object.entries(group);
}
