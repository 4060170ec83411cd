import { cellText, type RecordWriter } from './record.ts';

const QUOTED = /[",\r\n]/;

const cell = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** Text that a spreadsheet takes for text: an apostrophe is put before what it would take for a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/**
 * Records as CSV (RFC 4180, with line feeds), the names of the fields in the first line, also when there is no record.
 * `clean` is what each text goes through first.
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

/** Numbers, also negative ones, are no text. */
const cellOf = (value: unknown, clean: (text: string) => string): string =>
  typeof value === 'number' ? cellText(value) : clean(cellText(value));
