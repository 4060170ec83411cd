import { cellText, type RecordWriter } from './record.ts';

const QUOTED = /[",\r\n]/;

const cell = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Text that a spreadsheet interprets as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Puts an apostrophe before text that a spreadsheet would interpret as a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/**
 * Writes records as CSV (RFC 4180, with line feeds). The first line has the names of the fields, even if there are no
 * records. `clean` is applied to every text value.
 */
export function csvWriter(
  columns: readonly string[],
  clean: (text: string) => string = (text) => text,
): RecordWriter {
  let begun = false;
  const header = (): string => {
    if (begun) return '';
    begun = true;
    return `${columns.map(cell).join(',')}\n`;
  };
  return {
    page: (records) =>
      header() +
      records
        .map((record) => `${columns.map((name) => cell(cellOf(record[name], clean))).join(',')}\n`)
        .join(''),
    end: header,
  };
}

/** Numbers are not cleaned: a leading minus is not a formula. */
const cellOf = (value: unknown, clean: (text: string) => string): string =>
  typeof value === 'number' ? cellText(value) : clean(cellText(value));
