// Reads and writes CSV (RFC 4180), one physical line at a time. docs/decisions/0008 says why not with a package.

import { RECORD_FIELDS_MAX } from '../config/limits.ts';

/** A cell; null if it is empty and not quoted. */
export type Cell = string | null;

/** The most cells of a record. No resource has that many fields. */
export const RECORD_CELLS_MAX = RECORD_FIELDS_MAX;

/** A record that is being read, line by line. */
export interface PartialRecord {
  readonly cells: Cell[];
  /** The text of the open quoted cell, one part per line; null if no cell is open. */
  open: string[] | null;
}

export const newRecord = (): PartialRecord => ({ cells: [], open: null });

/** The effect of a line on its record: it completes it, leaves a quoted cell open, or breaks it for this reason. */
export type LineResult = 'complete' | 'open' | { readonly broken: string };

const QUOTE = '"';
const QUOTE_IN_BARE_CELL: LineResult = {
  broken: 'is broken CSV: a quote inside a cell that does not start with one',
};
const TEXT_AFTER_QUOTE: LineResult = { broken: 'is broken CSV: text after the closing quote of a cell' };
const TOO_MANY_CELLS: LineResult = { broken: `has more than ${RECORD_CELLS_MAX} cells` };

/** Adds the cells of one line to its record. The cost depends only on this line. */
export function readCells(line: string, record: PartialRecord): LineResult {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const { cells } = record;
  let at = 0;
  for (;;) {
    if (cells.length === RECORD_CELLS_MAX) return TOO_MANY_CELLS;
    if (record.open !== null || text[at] === QUOTE) {
      const from = record.open === null ? at + 1 : at;
      record.open ??= [];
      const close = closingQuote(line, from);
      // The carriage return of a line break inside quotes belongs to the cell.
      record.open.push(unescaped(line.slice(from, close === -1 ? line.length : close)));
      if (close === -1) return 'open';
      cells.push(record.open.join('\n'));
      record.open = null;
      at = close + 1;
      if (at < text.length && text[at] !== ',') return TEXT_AFTER_QUOTE;
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma === -1 ? text.length : comma);
      if (cell.includes(QUOTE)) return QUOTE_IN_BARE_CELL;
      cells.push(cell === '' ? null : cell);
      at += cell.length;
    }
    if (at >= text.length) return 'complete';
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

/** The start of text that a spreadsheet runs as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Puts an apostrophe before text that a spreadsheet would run as a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const NEEDS_QUOTES = /[",\r\n]/;

/** Writes a cell: null is empty, an empty text is quoted. */
export function writeCell(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll(QUOTE, '""')}"` : cell;
}

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(writeCell).join(',')}\n`;
