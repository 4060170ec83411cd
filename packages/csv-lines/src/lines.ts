import { isUtf8 } from 'node:buffer';
import { LINE_MAX_BYTES, type Line } from './line.ts';

const BYTES_PER_MIB = 1024 * 1024;
/** How much of a line that is too long is shown. */
const SHOWN_BYTES = 200;
/** A UTF-16 unit of a string takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

const LF = 10;
const BYTE_ORDER_MARK = '\uFEFF';
const TOO_LONG = `is longer than ${LINE_MAX_BYTES / BYTES_PER_MIB} MiB`;
const NOT_UTF8 = 'is not UTF-8';

/** The most lines yielded at once. A small chunk can contain very many lines. */
export const LINES_AT_ONCE = 1_000;
/** The first size of the buffer for a line. It doubles as needed. */
const HELD_BYTES = 4 * 1024;

/**
 * Splits bytes into lines, at most LINES_AT_ONCE at a time. Skips a byte order mark at the start. The bytes of a line are
 * collected in one buffer, so small chunks do not cost more.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const held = byteCollector();
  let number = 1;
  for await (const bytes of input) {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end = endOfLines(rest); end !== -1; end = endOfLines(rest)) {
      const lines = linesOf(held.takeWith(rest.subarray(0, end)), number);
      number += lines.length;
      rest = rest.subarray(end + 1);
      yield lines;
    }
    held.add(rest);
  }
  const last = held.takeWith(Buffer.alloc(0));
  if (last.length > 0) yield linesOf(last, number);
}

/** The index of the last line feed of the next LINES_AT_ONCE lines; -1 if there is none. */
function endOfLines(bytes: Buffer): number {
  let end = -1;
  for (let lines = 0; lines < LINES_AT_ONCE; lines++) {
    const next = bytes.indexOf(LF, end + 1);
    if (next === -1) break;
    end = next;
  }
  return end;
}

interface ByteCollector {
  /** Keeps bytes of a line, up to the limit. */
  readonly add: (bytes: Buffer) => void;
  /** Returns the kept bytes followed by these, and keeps nothing. */
  readonly takeWith: (bytes: Buffer) => Buffer;
}

function byteCollector(): ByteCollector {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(bytes) {
      const kept = bytes.subarray(0, LINE_MAX_BYTES + 1 - length);
      if (kept.length === 0) return;
      if (length + kept.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(HELD_BYTES, 2 * (length + kept.length)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      kept.copy(buffer, length);
      length += kept.length;
    },
    takeWith(bytes) {
      const taken = length === 0 ? bytes : Buffer.concat([buffer.subarray(0, length), bytes]);
      length = 0;
      return taken;
    },
  };
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
