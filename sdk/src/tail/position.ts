import { SvcError } from '../errors.ts';
import type { Anchor } from '../list/order.ts';

/** Where a tail stands, complete: with it another process goes on exactly there. */
export interface Position {
  /** Name of the list. */
  readonly list: string;
  /** A gap that the service issued, ahead of or at the place; null: the beginning of the list. */
  readonly cursor: string | null;
  /** Records between that gap and the place. */
  readonly yielded: number;
  /** The last records given, to find the place by; undefined when there were none. */
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

/** A position as text: base64url of JSON, safe in a shell, a URL and a file; opaque to whoever keeps it. */
export function encodePosition({ list, cursor, yielded, anchor }: Position): string {
  const { ids = [], key } = anchor ?? {};
  const stored: Stored =
    key === undefined ? [VERSION, list, cursor, yielded, ids] : [VERSION, list, cursor, yielded, ids, key];
  return btoa(JSON.stringify(stored)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Reads a position of this list; throws {@link SvcError} on anything else. */
export function decodePosition(text: string, list: string): Position {
  const stored = parse(text);
  if (!isStored(stored))
    throw new SvcError('"after" is not a position of a tail; pass its `position` unchanged.');
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
