import { cellText, type RecordWriter } from './record.ts';

const QUOTED = /[",\r\n]/;

const cell = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Records as CSV (RFC 4180, with line feeds), the names of the fields in the first line, also when there is no record.
 * `clean` is what each text goes through on its way to a terminal.
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
        .map((record) => `${columns.map((name) => cell(clean(cellText(record[name])))).join(',')}\n`)
        .join(''),
    end: header,
  };
}
