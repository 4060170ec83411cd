import { type Cell, type LineResult, readCells } from './csv-cells.ts';
import { LINE_MAX_BYTES, type Line } from './lines.ts';

/** A record of a CSV file, the header among them. */
export interface CsvRecord {
  /** Where it starts: a physical line, from 1. */
  readonly line: number;
  readonly text: string;
  readonly cells: readonly Cell[];
  /** Why it cannot be read; null when it can. */
  readonly flaw: string | null;
}

export interface CsvReader {
  readonly read: (lines: readonly Line[]) => readonly CsvRecord[];
  /** After the last line. */
  readonly end: () => readonly CsvRecord[];
}

/** Lines of a record that is not complete yet. */
interface Pending {
  readonly lines: Line[];
  readonly characters: number;
  readonly result: LineResult & { readonly kind: 'open' };
}

const NOT_CLOSED = 'is broken CSV: a quote is not closed';

/**
 * Puts lines together to records. A record that is broken costs its first line alone: reading goes on with the next
 * one. Blank lines between records are skipped.
 */
export function csvReader(): CsvReader {
  let pending: Pending | undefined;

  function read(lines: readonly Line[]): CsvRecord[] {
    const records: CsvRecord[] = [];
    // The line to read next is the last one: the lines of a broken record are read again.
    const queue = lines.toReversed();
    for (let line = queue.pop(); line !== undefined; line = queue.pop()) {
      const record = take(line, queue);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  function take(line: Line, queue: Line[]): CsvRecord | undefined {
    if (pending === undefined && isBlank(line)) return undefined;
    const before = pending;
    const lines = before?.lines ?? [];
    lines.push(line);
    pending = undefined;
    if (line.flaw !== null) return broken(lines, lines.length === 1 ? line.flaw : NOT_CLOSED, queue);
    const result = readCells(line.text, before?.result);
    if (result.kind === 'broken') return broken(lines, result.reason, queue);
    if (result.kind === 'complete') return { ...placeOf(lines), cells: result.cells, flaw: null };
    const characters = (before?.characters ?? 0) + line.text.length;
    if (characters > LINE_MAX_BYTES) return broken(lines, NOT_CLOSED, queue);
    pending = { lines, characters, result };
    return undefined;
  }

  function end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (pending !== undefined) {
      const queue: Line[] = [];
      records.push(broken(pending.lines, NOT_CLOSED, queue));
      pending = undefined;
      records.push(...read(queue.reverse()));
    }
    return records;
  }

  return { read, end };
}

const isBlank = ({ text, flaw }: Line): boolean => flaw === null && (text === '' || text === '\r');

/** The first line is refused; the others are read next. */
function broken(lines: readonly Line[], flaw: string, queue: Line[]): CsvRecord {
  for (let i = lines.length - 1; i > 0; i--) {
    const line = lines[i];
    if (line !== undefined) queue.push(line);
  }
  return { ...placeOf(lines.slice(0, 1)), cells: [], flaw };
}

const placeOf = (lines: readonly Line[]): Pick<CsvRecord, 'line' | 'text'> => ({
  line: lines[0]?.number ?? 0,
  text: lines.length === 1 ? (lines[0]?.text ?? '') : lines.map(({ text }) => text).join('\n'),
});
