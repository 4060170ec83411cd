import { SvcError } from '../errors.ts';

/** Headers as a caller gives them: an object, or pairs such as those of `Headers`. */
export type HeadersInput =
  | Readonly<Record<string, string | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/**
 * Joins groups of headers under lower-case names. A later group wins over an earlier one; undefined leaves a header out.
 * Throws {@link SvcError} when one group names a header twice, and on what no request may carry: `fetch` would refuse
 * that in the same words as a fault of the network.
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
      throw new SvcError(`The header ${JSON.stringify(key)} must be text, not ${String(value)}.`);
    if (!/^[\w-]+$/.test(key) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new SvcError(`The header ${JSON.stringify(key)} holds characters that no header may hold.`);
    if (Object.hasOwn(headers, key)) throw new SvcError(`The header ${JSON.stringify(key)} is given twice.`);
    headers[key] = value;
  }
  return headers;
}

function pairsOf(group: HeadersInput): Iterable<readonly [string, unknown]> {
  if (typeof group !== 'object' || group === null)
    throw new SvcError('"headers" must be an object with a property for each header.');
  return Symbol.iterator in group ? group : Object.entries(group);
}
