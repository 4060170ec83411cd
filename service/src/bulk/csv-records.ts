import { type Cell, newRecord, type PartialRecord, readCells } from './csv-cells.ts';
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
  /** The records that these lines complete. They are read as they are asked for: ask for all before the next lines. */
  readonly read: (lines: readonly Line[]) => Iterable<CsvRecord>;
  /** After the last line. */
  readonly end: () => Iterable<CsvRecord>;
}

/** Lines of a record that is not complete yet. */
interface Pending {
  readonly lines: Line[];
  /** Of its lines, with their line feeds. */
  characters: number;
  readonly record: PartialRecord;
}

/** A longer record is refused. The longest that fits a resource has some 6,000 line breaks. */
export const RECORD_MAX_LINES = 10_000;
export const RECORD_MAX_CHARACTERS = LINE_MAX_BYTES;

const NOT_CLOSED = 'is broken CSV: a quote is not closed';

/**
 * Puts lines together to records. A record that is broken costs its first line only: reading goes on with the next
 * one. Blank lines between records are skipped.
 *
 * A line is read three times at most: a line within a quoted cell has an even number of quotes, so when it is read
 * again by itself it does not open one.
 */
export function csvReader(): CsvReader {
  let pending: Pending | undefined;

  function* read(lines: readonly Line[]): Generator<CsvRecord> {
    // The lines of a broken record are read again, before the next line.
    const again: Line[] = [];
    for (const next of lines) {
      for (let line: Line | undefined = next; line !== undefined; line = again.pop()) {
        const record = take(line, again);
        if (record !== undefined) yield record;
      }
    }
  }

  function take(line: Line, again: Line[]): CsvRecord | undefined {
    if (pending === undefined && isBlank(line)) return undefined;
    const current = pending ?? { lines: [], characters: 0, record: newRecord() };
    const { lines, record } = current;
    lines.push(line);
    current.characters += line.text.length + 1;
    pending = undefined;
    if (line.flaw !== null) return broken(lines, lines.length === 1 ? line.flaw : NOT_CLOSED, again);
    const result = readCells(line.text, record);
    if (result === 'complete') return { ...placeOf(lines), cells: record.cells, flaw: null };
    if (result !== 'open') return broken(lines, result.broken, again);
    if (current.characters > RECORD_MAX_CHARACTERS || lines.length >= RECORD_MAX_LINES) {
      return broken(lines, NOT_CLOSED, again);
    }
    pending = current;
    return undefined;
  }

  function* end(): Generator<CsvRecord> {
    while (pending !== undefined) {
      const [first, ...rest]: readonly Line[] = pending.lines;
      pending = undefined;
      if (first !== undefined) yield { ...placeOf([first]), cells: [], flaw: NOT_CLOSED };
      yield* read(rest);
    }
  }

  return { read, end };
}

const isBlank = ({ text, flaw }: Line): boolean => flaw === null && (text === '' || text === '\r');

/** The first line is refused; the others are read again, the next one of them last on the stack. */
function broken(lines: readonly Line[], flaw: string, again: Line[]): CsvRecord {
  for (let i = lines.length - 1; i > 0; i--) {
    const line = lines[i];
    if (line !== undefined) again.push(line);
  }
  return { ...placeOf(lines.slice(0, 1)), cells: [], flaw };
}

const placeOf = (lines: readonly Line[]): Pick<CsvRecord, 'line' | 'text'> => ({
  line: lines[0]?.number ?? 0,
  text: lines.length === 1 ? (lines[0]?.text ?? '') : lines.map(({ text }) => text).join('\n'),
});
