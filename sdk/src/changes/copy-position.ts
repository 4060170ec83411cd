import { SvcError } from '../errors.ts';

/** How far a copy is. */
export interface CopyPosition {
  /** How often the lists were read from their start. */
  readonly round: number;
  /** The names of the resources that are copied. */
  readonly resources: readonly string[];
  /** The position in the feed up to which the copy has every change, apart from what is in the lists. */
  readonly position: string;
  /** The list that is read now, and the cursor of its next page. Null: all lists were read. */
  readonly reading: { readonly resource: string; readonly cursor: string | null } | null;
}

const VERSION = 1;

type Stored = readonly [
  version: typeof VERSION,
  round: number,
  resources: readonly string[],
  position: string,
  resource?: string,
  cursor?: string | null,
];

export function encodeCopyPosition({ round, resources, position, reading }: CopyPosition): string {
  const stored: Stored =
    reading === null
      ? [VERSION, round, resources, position]
      : [VERSION, round, resources, position, reading.resource, reading.cursor];
  return JSON.stringify(stored);
}

/** Throws {@link SvcError} if the text is not the position of a copy. */
export function decodeCopyPosition(text: string): CopyPosition {
  const stored = parse(text);
  if (!isStored(stored))
    throw new SvcError('The position of the copy is damaged. Save the positions of copyChanges unchanged.');
  const [, round, resources, position, resource, cursor = null] = stored;
  return { round, resources, position, reading: resource === undefined ? null : { resource, cursor } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isStored(value: unknown): value is Stored {
  if (!Array.isArray(value)) return false;
  const [version, round, resources, position, resource, cursor]: readonly unknown[] = value;
  return (
    version === VERSION &&
    Number.isInteger(round) &&
    Array.isArray(resources) &&
    resources.every((name) => typeof name === 'string') &&
    typeof position === 'string' &&
    (resource === undefined || (typeof resource === 'string' && resources.includes(resource))) &&
    (cursor === undefined || cursor === null || typeof cursor === 'string')
  );
}
