import { arrayConverter, arrayItems } from './json-array.ts';
import type { Line } from './line.ts';
import { readLines } from './lines.ts';

const BLANK = /^[ \t\r]*$/;
const NOT_CLOSED = 'is broken JSON: the array is not closed';
const EMPTY_ITEM = 'is broken JSON: an item of the array is empty';
const TEXT_AFTER_ARRAY = 'is broken JSON: text after the end of the array';

/**
 * The lines of NDJSON, or the items of a JSON array as lines with their numbers, as many at a time as readLines yields. Each
 * fault of the array itself is a line with a flaw. An array that is not closed has one more line, because a file that was
 * cut off between two items must not look complete.
 */
export async function* readItems(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const array = arrayConverter();
  let read = 0;
  for await (const lines of readLines(arrayItems(input, array))) {
    read += lines.length;
    // The array is converted at least up to these lines. It may be converted further, which changes nothing for them.
    const found = array.found();
    yield found.start ? lines.map((line) => checkedLine(line, found)) : lines;
  }
  const { start, end } = array.found();
  if (start && !end) yield [{ number: read + 1, text: '', flaw: NOT_CLOSED }];
}

/** A line of an array of which `items` items have ended. */
function checkedLine(line: Line, { items, end }: { readonly items: number; readonly end: boolean }): Line {
  if (line.flaw !== null) return line;
  const blank = BLANK.test(line.text);
  if (line.number > items) return end && !blank ? { ...line, flaw: TEXT_AFTER_ARRAY } : line;
  const noItems = end && items === 1;
  return blank && !noItems ? { ...line, flaw: EMPTY_ITEM } : line;
}
