import { cellText, type RecordWriter } from './record.ts';

const QUOTED = /[",\r\n]/;

const cell = (value: unknown): string => {
  const text = cellText(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Records as CSV (RFC 4180, with line feeds), the names of the fields in the first line, also when there is no record. */
export function csvWriter(columns: readonly string[]): RecordWriter {
  let begun = false;
  const header = (): string => {
    if (begun) return '';
    begun = true;
    return `${columns.map(cell).join(',')}\n`;
  };
  return {
    page: (records) =>
      header() + records.map((record) => `${columns.map((name) => cell(record[name])).join(',')}\n`).join(''),
    end: header,
  };
}
