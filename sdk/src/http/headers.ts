import { SvcError } from '../errors.ts';

/** Request headers: an object, or an iterable of pairs such as `Headers`. */
export type HeadersInput =
  | Readonly<Record<string, string | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/** The header of a request with a body. */
export const JSON_TYPE = { 'content-type': 'application/json' } as const;

/**
 * Merges groups of headers into one object with lower-case names. A later group replaces headers of an earlier one. A
 * header whose value is undefined is left out. Throws {@link SvcError} if a group has a header twice, or if a header
 * contains forbidden characters: `fetch` refuses those with the same error as a network failure.
 */
export function joinHeaders(...groups: readonly HeadersInput[]): Record<string, string> {
  return Object.assign({}, ...groups.map(checkedGroup));
}

/** Headers that decide what a request does. The methods set them by their options. */
const OF_METHODS: readonly string[] = ['content-type', 'idempotency-key', 'if-match', 'if-none-match'];

/**
 * Merges the headers of a method with those of its caller. Throws {@link SvcError} if the caller has one that the method
 * sets: another idempotency key for each batch, for example.
 */
export function joinCallHeaders(
  own: Readonly<Record<string, string>>,
  callers: HeadersInput | undefined,
): Readonly<Record<string, string>> {
  if (callers === undefined) return own;
  return { ...checkedHeaders(callers, [...OF_METHODS, ...Object.keys(own)]), ...own };
}

/** The headers that the client sends with every request. Throws {@link SvcError} if one of them is not for all. */
export const checkedDefaultHeaders = (headers: HeadersInput): Record<string, string> =>
  checkedHeaders(headers, [...OF_METHODS, 'authorization', 'last-event-id']);

function checkedHeaders(group: HeadersInput, refused: readonly string[]): Record<string, string> {
  const headers = checkedGroup(group);
  const found = refused.find((name) => Object.hasOwn(headers, name));
  if (found !== undefined)
    throw new SvcError(`The header "${found}" cannot be set here: an option sets it, or \`svc.request()\`.`);
  return headers;
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
