import { type Cell, newRecord, type PartialRecord, readCells } from './csv-cells.ts';
import { LINE_MAX_BYTES, type Line } from './lines.ts';

/** A record of a CSV file, or its header. */
export interface CsvRecord {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  readonly cells: readonly Cell[];
  /** Why it cannot be read; null if it can. */
  readonly flaw: string | null;
}

export interface CsvReader {
  /** The records that these lines complete. Lazy: read all of them before the next call. */
  readonly read: (lines: readonly Line[]) => Iterable<CsvRecord>;
  /** Call after the last line: returns the remaining records. */
  readonly end: () => Iterable<CsvRecord>;
}

/** The lines of an incomplete record. */
interface Pending {
  readonly lines: Line[];
  /** Characters of its lines, with line feeds. */
  characters: number;
  readonly record: PartialRecord;
}

/** Longer records are refused. The longest valid record has some 6,000 line breaks. */
export const RECORD_MAX_LINES = 10_000;
const RECORD_MAX_CHARACTERS = LINE_MAX_BYTES;

const NOT_CLOSED = 'is broken CSV: a quote is not closed';

/**
 * Joins lines into records. Of a broken record only the first line is refused: reading continues with the second one.
 * Skips blank lines between records.
 *
 * Reads each line at most three times. A line inside a quoted cell has an even number of quotes, so it does not open a
 * cell when it is read again as the start of a record.
 */
export function csvReader(): CsvReader {
  let pending: Pending | undefined;

  function* read(lines: readonly Line[]): Generator<CsvRecord> {
    // The further lines of a broken record, which are read again before the next line.
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

/** Refuses the first line. Pushes the others onto the stack, in reverse order, to be read again. */
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
