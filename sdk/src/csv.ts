/** CSV (RFC 4180, with line feeds) for the exports of `svc`, `svcd` and the dashboard. */

const NEEDS_QUOTES = /[",\r\n]/;

/** Writes a line. A cell of null is empty, and an empty text is quoted. */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(writeCell).join(',')}\n`;

function writeCell(cell: string | null): string {
  if (cell === null) return '';
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The start of text that a spreadsheet runs as a formula (OWASP, CSV injection). */
const FORMULA = /^(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/;
/** The same inside of a text, after a character at which a spreadsheet with another separator begins a cell. */
const LATER_FORMULA = /([;\t\r\n])(?=[ "]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Puts an apostrophe before each part of a text that a spreadsheet would run as a formula. */
export const withoutFormula = (text: string): string =>
  text.replace(FORMULA, "'").replace(LATER_FORMULA, "$1'");
