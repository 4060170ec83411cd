import { SvcError } from '../errors.ts';

/**
 * The text of a JSON array as NDJSON: each item is a line, which has the number of the item. Calls `onArray` if it is an
 * array, and passes on another text. An item that is not JSON, or is missing, is a line that is not JSON. Throws {@link
 * SvcError} if the array has no end, or if there is something after it.
 */
export async function* arrayItems(
  texts: AsyncIterable<string>,
  name: string,
  onArray: () => void,
): AsyncGenerator<string, void, undefined> {
  let converter: ArrayConverter | undefined;
  let start: string | undefined = '';
  for await (const text of texts) {
    if (start === undefined) {
      yield converter?.convert(text) ?? text;
      continue;
    }
    start += text;
    const [first] = start.trimStart();
    if (first === undefined) continue;
    if (first === '[') {
      converter = new ArrayConverter();
      onArray();
    }
    yield converter?.convert(start) ?? start;
    start = undefined;
  }
  if (converter?.ended === false)
    throw new SvcError(`The JSON array in ${name} has no end. The file may be incomplete.`);
  if (converter?.continued === true)
    throw new SvcError(
      `The JSON array in ${name} has ended, but the file continues. It must have one array.`,
    );
}

class ArrayConverter {
  /** Whether the array has been read up to its end. */
  ended = false;
  /** Whether something comes after its end. */
  continued = false;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #items = 0;
  /** Whether the item has begun. */
  #begun = false;

  convert(text: string): string {
    let converted = '';
    for (const character of text) {
      if (!this.ended) converted += this.#replaced(character);
      else if (!isSpace(character)) this.continued = true;
    }
    return converted;
  }

  #replaced(character: string): string {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#quoted = false;
      // A text of JSON has neither line ends nor tabs: the item is refused.
      return isLineEnd(character) ? '\t' : character;
    }
    if (this.#depth === 1 && (character === ',' || character === ']')) return this.#endItem(character);
    if (this.#depth > 0 && !isSpace(character)) this.#begun = true;
    if (character === '"') this.#quoted = true;
    else if (character === '[' || character === '{') {
      this.#depth += 1;
      if (this.#depth === 1) return ' ';
    } else if (character === ']' || character === '}') {
      // Only its own bracket closes the array.
      if (this.#depth > 1) this.#depth -= 1;
    } else if (isLineEnd(character)) return ' ';
    return character;
  }

  #endItem(character: ',' | ']'): string {
    this.ended = character === ']';
    const missing = !this.#begun && !(this.ended && this.#items === 0);
    this.#items += 1;
    this.#begun = false;
    return missing ? `${character}\n` : '\n';
  }
}

const isSpace = (character: string): boolean => /[ \t\n\r]/.test(character);
const isLineEnd = (character: string): boolean => character === '\n' || character === '\r';
