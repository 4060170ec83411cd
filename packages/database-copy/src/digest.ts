import { crc32 } from 'node:zlib';
import { CopyError } from './errors.ts';
import { decode } from './stream/decode.ts';
import type { TableEnd } from './stream/parts.ts';

/** The rows of each table by its name, in any order: equal if both databases have the same rows. */
export type Digest = ReadonlyMap<string, string>;

const LINE_BREAK = 0x0a;
/** Sums stay exact. */
const MODULUS = 2 ** 52;
const HALF = 2 ** 26;
const SECOND_SEED = 0x5bd1e995;

/** Reads a backup, and adds up the rows of each table so that their order does not matter. */
export async function digestBackup(input: AsyncIterable<Uint8Array>): Promise<Digest> {
  const digest = new Map<string, string>();
  let table = '';
  let rows = sumOfRows();
  for await (const part of decode(input)) {
    if (part.kind === 'table') {
      table = part.value.name;
      rows = sumOfRows();
    } else if (part.kind === 'rows') {
      rows.add(part.text);
    } else if (part.kind === 'table-end') {
      digest.set(table, rows.end(part.value));
    }
  }
  return digest;
}

function sumOfRows() {
  let [first, second] = [0, 0];
  /** The beginning of a row that continues in the next part. */
  let begun: readonly Buffer[] = [];
  return {
    add(text: Buffer): void {
      let from = 0;
      for (let at = text.indexOf(LINE_BREAK); at !== -1; at = text.indexOf(LINE_BREAK, from)) {
        const end = text.subarray(from, at);
        const row = begun.length === 0 ? end : Buffer.concat([...begun, end]);
        begun = [];
        first = (first + crc32(row)) % MODULUS;
        // Not linear, unlike the first sum: two changes do not cancel each other out.
        const half = crc32(row, SECOND_SEED) % HALF;
        second = (second + half * half) % MODULUS;
        from = at + 1;
      }
      if (from < text.length) begun = [...begun, text.subarray(from)];
    },
    end: ({ rows, bytes }: TableEnd): string => `${rows} rows, ${bytes} bytes, ${first}, ${second}`,
  };
}

/** Throws CopyError unless both have the same tables with the same rows. */
export function requireSameRows(backup: Digest, database: Digest): void {
  for (const name of new Set([...backup.keys(), ...database.keys()]))
    if (backup.get(name) !== database.get(name))
      throw new CopyError(
        `the table ${name} differs: the backup has ${backup.get(name) ?? 'no such table'}, ` +
          `the restored database ${database.get(name) ?? 'no such table'}`,
      );
}
