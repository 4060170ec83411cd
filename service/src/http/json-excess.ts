import { JSON_DEPTH_MAX } from '../config/limits.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Why a JSON text is refused before it is parsed: it has more than `maxValues` values or is nested too deeply.
 * Undefined when it has not. Parsed, such a text needs up to 60 times its own size in memory, and what walks it
 * recursively later overflows the stack. Looks at each character once; says nothing about whether it is JSON.
 */
export function excessOf(text: string, maxValues: number): string | undefined {
  // By brackets and commas: an empty array or object counts twice.
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
        if (++values > maxValues) return tooMany(maxValues);
        break;
      case COMMA:
        if (++values > maxValues) return tooMany(maxValues);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return undefined;
}

const tooMany = (maxValues: number): string => `has more than ${maxValues} values`;

/** Where the string that begins at `from` closes. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
