import { createHash } from 'node:crypto';
import { ROWS_MAX_BYTES, type TableEnd } from './parts.ts';

const LINE_BREAK = 0x0a;

/** Adds up the rows of a table. */
export interface RowSum {
  readonly add: (text: Buffer) => void;
  /** The complete rows so far. */
  readonly rows: () => number;
  readonly end: () => TableEnd;
}

export function sumRows(): RowSum {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  return {
    add(text) {
      hash.update(text);
      bytes += text.length;
      // COPY escapes the line breaks in values, so each one ends a row.
      for (let at = text.indexOf(LINE_BREAK); at !== -1; at = text.indexOf(LINE_BREAK, at + 1)) rows++;
    },
    rows: () => rows,
    end: () => ({ rows, bytes, sha256: hash.digest('hex') }),
  };
}

/** The same bytes in chunks of {@link ROWS_MAX_BYTES}; the last one may be smaller. */
export async function* inChunks(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafe(ROWS_MAX_BYTES);
  let filled = 0;
  for await (const bytes of input) {
    for (let from = 0; from < bytes.length; ) {
      const copied = bytes.copy(chunk, filled, from);
      filled += copied;
      from += copied;
      if (filled < ROWS_MAX_BYTES) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(ROWS_MAX_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
