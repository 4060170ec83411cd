// CSV as RFC 4180 has it, one physical line at a time. Why not by a package: docs/decisions/0008.

/** A cell; null when it is empty and not quoted. */
export type Cell = string | null;

/** What a line makes of the record that it belongs to. */
export type LineResult =
  /** The record ends with this line. */
  | { readonly kind: 'complete'; readonly cells: readonly Cell[] }
  /** A quoted cell goes on in the next line. */
  | { readonly kind: 'open'; readonly cells: readonly Cell[]; readonly open: string }
  | { readonly kind: 'broken'; readonly reason: string };

const QUOTE = '"';
const QUOTE_IN_BARE_CELL = 'is broken CSV: a quote inside a cell that does not start with one';
const TEXT_AFTER_QUOTE = 'is broken CSV: text after the closing quote of a cell';

/** Reads one line; `before` is what the lines of the same record before it have left open. */
export function readCells(
  line: string,
  before?: { readonly cells: readonly Cell[]; readonly open: string },
): LineResult {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (before === undefined && !text.includes(QUOTE)) {
    return { kind: 'complete', cells: text.split(',').map((cell) => (cell === '' ? null : cell)) };
  }
  const cells = [...(before?.cells ?? [])];
  let at = 0;
  let open = before?.open;
  for (;;) {
    if (open !== undefined || text[at] === QUOTE) {
      const close = closingQuote(line, open === undefined ? at + 1 : at);
      const from = open === undefined ? at + 1 : at;
      // The carriage return of a line break inside quotes belongs to the cell.
      if (close === -1) return { kind: 'open', cells, open: `${open ?? ''}${unescaped(line.slice(from))}\n` };
      cells.push((open ?? '') + unescaped(line.slice(from, close)));
      open = undefined;
      at = close + 1;
      if (at < text.length && text[at] !== ',') return { kind: 'broken', reason: TEXT_AFTER_QUOTE };
    } else {
      const comma = text.indexOf(',', at);
      const cell = text.slice(at, comma === -1 ? text.length : comma);
      if (cell.includes(QUOTE)) return { kind: 'broken', reason: QUOTE_IN_BARE_CELL };
      cells.push(cell === '' ? null : cell);
      at += cell.length;
    }
    if (at >= text.length) return { kind: 'complete', cells };
    at += 1;
  }
}

/** Where the quoted cell that `at` is in closes; -1 when it goes on beyond the line. */
function closingQuote(line: string, at: number): number {
  for (let quote = line.indexOf(QUOTE, at); quote !== -1; quote = line.indexOf(QUOTE, quote + 2)) {
    if (line[quote + 1] !== QUOTE) return quote;
  }
  return -1;
}

const unescaped = (text: string): string => text.replaceAll('""', QUOTE);

const NEEDS_QUOTES = /[",\r\n]/;

/** A cell as it is written: null is empty, an empty text is quoted. */
export function writeCell(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll(QUOTE, '""')}"` : cell;
}
