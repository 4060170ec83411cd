// Reads CSV text (RFC 4180), one physical line at a time. docs/decisions/0008 says why svc uses no package for this.

import { LINE_MAX_BYTES, type Line } from './line.ts';

/** A cell. Null: it is empty and not quoted. */
export type Cell = string | null;

/** A row of a CSV file. */
export interface CsvRow {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  readonly cells: readonly Cell[];
  /** Why it cannot be read. Null: it can. */
  readonly flaw: string | null;
}

export interface CsvReader {
  /** The rows that these lines complete. Lazy: read all of them before the next call. */
  readonly read: (lines: readonly Line[]) => Iterable<CsvRow>;
  /** Call after the last line. Returns the remaining rows. */
  readonly end: () => Iterable<CsvRow>;
}

/** The most cells of a row. No resource has that many fields. */
export const ROW_CELLS_MAX = 100;
/** The most lines of a row. The longest valid row has some 6,000 line breaks. */
export const ROW_MAX_LINES = 10_000;
const ROW_MAX_CHARACTERS = LINE_MAX_BYTES;

const QUOTE = '"';
/** The separators of cells that are recognized. Excel writes semicolons where a comma separates decimals. */
const DELIMITERS = [',', ';', '\t'] as const;
const NOT_CLOSED = 'is broken CSV: a quote is not closed';
const QUOTE_IN_BARE_CELL = 'is broken CSV: a quote inside a cell that does not start with one';
const TEXT_AFTER_QUOTE = 'is broken CSV: text after the closing quote of a cell';
const TOO_MANY_CELLS = `has more than ${ROW_CELLS_MAX} cells`;

/** A row that is not complete. */
interface PartialRow {
  readonly lines: Line[];
  /** Characters of its lines, with line feeds. */
  characters: number;
  readonly cells: Cell[];
  /** The text of the open quoted cell, one part per line. Null: no cell is open. */
  open: string[] | null;
}

/**
 * Joins lines into rows. The first line decides what separates the cells of all rows: the one of `,`, `;` and tab that
 * it has most often, otherwise the comma. Of a broken row only the first line is refused: reading continues with the
 * second one. Skips blank lines between rows.
 *
 * Reads each line at most three times. A line inside a quoted cell has an even number of quotes, so it does not open a
 * cell when it is read again as the start of a row.
 */
export function csvReader(): CsvReader {
  let partial: PartialRow | undefined;
  let delimiter: string | undefined;

  function* read(lines: readonly Line[]): Generator<CsvRow> {
    // The lines of a broken row after its first one. They are read again before the next line.
    const again: Line[] = [];
    for (const next of lines) {
      for (let line: Line | undefined = next; line !== undefined; line = again.pop()) {
        const row = take(line, again);
        if (row !== undefined) yield row;
      }
    }
  }

  function take(line: Line, again: Line[]): CsvRow | undefined {
    if (partial === undefined && isBlank(line)) return undefined;
    const row = partial ?? { lines: [], characters: 0, cells: [], open: null };
    const { lines, cells } = row;
    delimiter ??= delimiterOf(line.text);
    lines.push(line);
    row.characters += line.text.length + 1;
    partial = undefined;
    const flaw =
      line.flaw === null ? readCells(line.text, row, delimiter) : lines.length === 1 ? line.flaw : NOT_CLOSED;
    if (flaw !== null) return broken(lines, flaw, again);
    if (row.open === null) return { ...placeOf(lines), cells, flaw: null };
    if (row.characters > ROW_MAX_CHARACTERS || lines.length >= ROW_MAX_LINES)
      return broken(lines, NOT_CLOSED, again);
    partial = row;
    return undefined;
  }

  function* end(): Generator<CsvRow> {
    while (partial !== undefined) {
      const again: Line[] = [];
      yield broken(partial.lines, NOT_CLOSED, again);
      partial = undefined;
      yield* read(again.reverse());
    }
  }

  return { read, end };
}

/** Counts outside quotes. */
function delimiterOf(line: string): (typeof DELIMITERS)[number] {
  const bare = line.split(QUOTE).filter((_, i) => i % 2 === 0);
  const counts = DELIMITERS.map((delimiter) =>
    bare.reduce((sum, text) => sum + text.split(delimiter).length - 1, 0),
  );
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

const isBlank = ({ text, flaw }: Line): boolean => flaw === null && (text === '' || text === '\r');

/** Refuses the first line. Pushes the others onto the stack, in reverse order, to be read again. */
function broken(lines: readonly Line[], flaw: string, again: Line[]): CsvRow {
  for (let i = lines.length - 1; i > 0; i--) {
    const line = lines[i];
    if (line !== undefined) again.push(line);
  }
  return { ...placeOf(lines.slice(0, 1)), cells: [], flaw };
}

const placeOf = (lines: readonly Line[]): Pick<CsvRow, 'line' | 'text'> => ({
  line: lines[0]?.number ?? 0,
  text: lines.length === 1 ? (lines[0]?.text ?? '') : lines.map(({ text }) => text).join('\n'),
});

/**
 * Adds the cells of one line to its row, whose last cell may stay open. Returns why the line breaks the row; null: it does
 * not. The cost depends only on this line.
 */
function readCells(line: string, row: PartialRow, delimiter: string): string | null {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const { cells } = row;
  let at = 0;
  for (;;) {
    if (cells.length === ROW_CELLS_MAX) return TOO_MANY_CELLS;
    if (row.open !== null || text[at] === QUOTE) {
      const from = row.open === null ? at + 1 : at;
      row.open ??= [];
      const close = closingQuote(line, from);
      // The carriage return of a line break inside quotes belongs to the cell.
      row.open.push(unescaped(line.slice(from, close === -1 ? line.length : close)));
      if (close === -1) return null;
      cells.push(row.open.join('\n'));
      row.open = null;
      at = close + 1;
      if (at < text.length && text[at] !== delimiter) return TEXT_AFTER_QUOTE;
    } else {
      const next = text.indexOf(delimiter, at);
      const cell = text.slice(at, next === -1 ? text.length : next);
      if (cell.includes(QUOTE)) return QUOTE_IN_BARE_CELL;
      cells.push(cell === '' ? null : cell);
      at += cell.length;
    }
    if (at >= text.length) return null;
    at += 1;
  }
}

/** The index of the quote that closes the cell around `at`; -1 if the cell continues on the next line. */
function closingQuote(line: string, at: number): number {
  for (let quote = line.indexOf(QUOTE, at); quote !== -1; quote = line.indexOf(QUOTE, quote + 2)) {
    if (line[quote + 1] !== QUOTE) return quote;
  }
  return -1;
}

const unescaped = (text: string): string => text.replaceAll('""', QUOTE);
