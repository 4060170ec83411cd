const [LF, CR, SPACE, QUOTE, COMMA, BACKSLASH] = [0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x5c] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
/** Blanks of JSON, and the byte order mark. */
const SKIPPED: ReadonlySet<number> = new Set([0x09, LF, CR, SPACE, 0xef, 0xbb, 0xbf]);
/** After more blanks than that, a file is not recognized as an array. */
const BLANKS_MAX_BYTES = 1024;

/** Converts the bytes of a JSON array to NDJSON: each item is a line, which has the number of the item. */
export interface ArrayConverter {
  /** Converts the next chunk. */
  readonly convert: (bytes: Uint8Array) => Uint8Array;
  /** What was converted until now. */
  readonly found: () => {
    readonly start: boolean;
    /** The items that have ended. An array without items has one, which is empty. */
    readonly items: number;
    readonly end: boolean;
  };
}

/**
 * The bytes of a JSON array as NDJSON. Passes on an input that does not start with `[`. It checks nothing: an item that is
 * not JSON is a line that is not JSON, and the lines after the last item are what follows the array.
 */
export async function* arrayItems(
  input: AsyncIterable<Uint8Array>,
  { convert }: ArrayConverter,
): AsyncGenerator<Uint8Array> {
  let kind: 'unknown' | 'array' | 'other' = 'unknown';
  let blanks = Buffer.alloc(0);
  for await (const bytes of input) {
    let rest = bytes;
    if (kind === 'unknown') {
      rest = blanks = Buffer.concat([blanks, bytes]);
      // No more than that, so that the size of the chunks does not matter.
      const first = blanks.subarray(0, BLANKS_MAX_BYTES).find((byte) => !SKIPPED.has(byte));
      if (first === undefined && blanks.length < BLANKS_MAX_BYTES) continue;
      kind = first === OPEN_ARRAY ? 'array' : 'other';
    }
    yield kind === 'array' ? convert(rest) : rest;
  }
  if (kind === 'unknown') yield blanks;
}

/** Needs an array from the first byte that is not blank. Also for a browser. */
export function arrayConverter(): ArrayConverter {
  let depth = 0;
  let items = 0;
  let inText = false;
  let escaped = false;
  let ended = false;
  const replaced = (byte: number): number => {
    if (inText) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inText = false;
      // A text of JSON has no line feed, and no carriage return either: the item is refused, as in NDJSON.
      return byte === LF ? CR : byte;
    }
    if (byte === QUOTE) inText = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++;
      if (depth === 1) return SPACE;
    } else if (depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) {
      items++;
      ended = byte === CLOSE_ARRAY;
      return LF;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      // Only its own bracket closes the array.
      if (depth > 1) depth--;
    } else if (byte === LF) return SPACE;
    return byte;
  };
  return {
    convert: (bytes) => bytes.map((byte) => (ended ? byte : replaced(byte))),
    found: () => ({ start: depth > 0, items, end: ended }),
  };
}
