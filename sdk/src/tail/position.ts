import { SvcError } from '../errors.ts';
import type { Anchor } from '../list/order.ts';

/** The complete position of a tail. Another process can continue exactly there. */
export interface Position {
  /** Name of the list. */
  readonly list: string;
  /** The cursor of the service that loads the page of the position; null: the page with the oldest records. */
  readonly cursor: string | null;
  /** Number of records on that page that were yielded. */
  readonly yielded: number;
  /**
   * The last yielded records; undefined if there were none. It finds the position again when the cursor has expired.
   */
  readonly anchor: Anchor | undefined;
}

const VERSION = 1;

type Stored = readonly [
  version: typeof VERSION,
  list: string,
  cursor: string | null,
  yielded: number,
  ids: readonly string[],
  key?: string | number,
];

/** Encodes a position as base64url of JSON: safe in a shell, a URL and a file. Callers must treat it as opaque. */
export function encodePosition({ list, cursor, yielded, anchor }: Position): string {
  const { ids = [], key } = anchor ?? {};
  const stored: Stored =
    key === undefined ? [VERSION, list, cursor, yielded, ids] : [VERSION, list, cursor, yielded, ids, key];
  return btoa(JSON.stringify(stored)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * Decodes a position in this list. Throws {@link SvcError} if the text is not a position, or is one in another list.
 */
export function decodePosition(text: string, list: string): Position {
  const stored = parse(text);
  if (!isStored(stored))
    throw new SvcError('"after" is not a position. Pass the `position` of a tail unchanged.');
  const [, storedList, cursor, yielded, ids, key] = stored;
  if (storedList !== list) throw new SvcError(`"after" is a position in ${storedList}, not in ${list}.`);
  const anchor = ids.length === 0 ? undefined : { ids, ...(key === undefined ? {} : { key }) };
  return { list, cursor, yielded, anchor };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

function isStored(value: unknown): value is Stored {
  if (!Array.isArray(value)) return false;
  const [version, list, cursor, yielded, ids, key]: readonly unknown[] = value;
  return (
    version === VERSION &&
    typeof list === 'string' &&
    (cursor === null || typeof cursor === 'string') &&
    Number.isInteger(yielded) &&
    Array.isArray(ids) &&
    ids.every((id) => typeof id === 'string') &&
    (key === undefined || typeof key === 'string' || typeof key === 'number')
  );
}
