import { SvcError } from '../errors.ts';

/**
 * The text of a JSON array as NDJSON: each item is a line, which has the number of the item. Passes on a text that does not
 * start with `[`. An item that is not JSON is a line that is not JSON, and so is what follows the array. Throws {@link
 * SvcError} if the array has no end.
 */
export async function* arrayItems(
  texts: AsyncIterable<string>,
  name: string,
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
    converter = first === '[' ? new ArrayConverter() : undefined;
    yield converter?.convert(start) ?? start;
    start = undefined;
  }
  if (converter?.ended === false)
    throw new SvcError(`The JSON array in ${name} has no end. The file may be incomplete.`);
}

class ArrayConverter {
  /** Whether the array has been read up to its end. */
  ended = false;
  #depth = 0;
  #quoted = false;
  #escaped = false;

  convert(text: string): string {
    let converted = '';
    for (const character of text) converted += this.ended ? character : this.#replaced(character);
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
    if (character === '"') this.#quoted = true;
    else if (character === '[' || character === '{') {
      this.#depth += 1;
      if (this.#depth === 1) return ' ';
    } else if (this.#depth === 1 && (character === ',' || character === ']')) {
      this.ended = character === ']';
      return '\n';
    } else if (character === ']' || character === '}') {
      // Only its own bracket closes the array.
      if (this.#depth > 1) this.#depth -= 1;
    } else if (isLineEnd(character)) return ' ';
    return character;
  }
}

const isLineEnd = (character: string): boolean => character === '\n' || character === '\r';
