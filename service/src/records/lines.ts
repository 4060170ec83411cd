import { isUtf8 } from 'node:buffer';

/** A physical line of a file, without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Of a line that is too long the beginning alone; of one that is not UTF-8 what can be read. */
  readonly text: string;
  /** Why the line cannot be read; null when it can. */
  readonly flaw: string | null;
}

const BYTES_PER_MIB = 1024 * 1024;
/** A longer line is refused; no more than this is held of any. */
export const LINE_MAX_BYTES = BYTES_PER_MIB;
/** How much of a line that is too long is shown. */
const SHOWN_BYTES = 200;
/** In JavaScript's strings a byte of UTF-8 is at most one unit, and a unit at most three bytes. */
const MAX_BYTES_PER_UNIT = 3;

const LF = 10;
const BYTE_ORDER_MARK = '\uFEFF';
const TOO_LONG = `is longer than ${LINE_MAX_BYTES / BYTES_PER_MIB} MiB`;
const NOT_UTF8 = 'is not UTF-8';

/** Reads bytes as lines, as many at a time as have come. A byte order mark at the start is skipped. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 1;
  for await (const bytes of input) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = chunk.lastIndexOf(LF);
    const rest = chunk.subarray(end + 1);
    if (end !== -1) {
      const block = chunk.subarray(0, end);
      const lines = linesOf(held.length === 0 ? block : Buffer.concat([...held, block]), number);
      number += lines.length;
      held = [];
      heldBytes = 0;
      yield lines;
    }
    // What follows in a line that is too long already says nothing more.
    if (heldBytes <= LINE_MAX_BYTES && rest.length > 0) held.push(rest);
    heldBytes += rest.length;
  }
  if (heldBytes > 0) yield linesOf(Buffer.concat(held), number);
}

function linesOf(block: Buffer, first: number): readonly Line[] {
  if (!isUtf8(block)) return [...splitBytes(block)].map((bytes, i) => lineOf(bytes, first + i));
  const texts = block.toString('utf8').split('\n');
  if (first === 1 && texts[0]?.startsWith(BYTE_ORDER_MARK)) texts[0] = texts[0].slice(1);
  return texts.map((text, i) =>
    text.length * MAX_BYTES_PER_UNIT > LINE_MAX_BYTES
      ? lineOf(Buffer.from(text), first + i)
      : { number: first + i, text, flaw: null },
  );
}

function* splitBytes(block: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = block.indexOf(LF); end !== -1; end = block.indexOf(LF, start)) {
    yield block.subarray(start, end);
    start = end + 1;
  }
  yield block.subarray(start);
}

function lineOf(bytes: Buffer, number: number): Line {
  if (bytes.length > LINE_MAX_BYTES) {
    return { number, text: bytes.toString('utf8', 0, SHOWN_BYTES), flaw: TOO_LONG };
  }
  const text = bytes.toString('utf8');
  const shown = number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return { number, text: shown, flaw: isUtf8(bytes) ? null : NOT_UTF8 };
}
