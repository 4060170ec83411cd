const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The most values of a JSON text, and the most levels of arrays and objects. */
export interface JsonLimits {
  readonly values: number;
  readonly depth: number;
}

/**
 * The reason why a JSON text must not be parsed: it has too many values or levels. After parsing, such a text would need up
 * to 60 times its size in memory, and recursive code would overflow the stack. Undefined if the text may be parsed. Does
 * not check whether the text is JSON. Reads each character once.
 */
export function jsonExcess(text: string, most: JsonLimits): string | undefined {
  // Counts brackets and commas, so an empty array or object counts as two values.
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > most.depth) return `is nested deeper than ${most.depth} levels`;
        if (++values > most.values) return tooMany(most.values);
        break;
      case COMMA:
        if (++values > most.values) return tooMany(most.values);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return undefined;
}

const tooMany = (values: number): string => `has more than ${values} values`;

/** The index of the quote that closes the string which starts at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
