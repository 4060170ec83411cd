import { csvLine } from '../../csv.ts';
import { cellText, type RecordWriter } from './record.ts';

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
    return csvLine(columns);
  };
  return {
    page: (records) =>
      header() +
      records.map((record) => csvLine(columns.map((name) => cellOf(record[name], clean)))).join(''),
    end: header,
  };
}

/** An empty text is a cell too. Numbers are not cleaned: a leading minus is not a formula. */
function cellOf(value: unknown, clean: (text: string) => string): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' ? cellText(value) : clean(cellText(value));
}
