import { withoutFormula } from '../../csv.ts';
import type { Resource } from '../../resource.ts';
import { type Output, sanitizeJson, sanitizeText } from '../io.ts';
import { csvWriter } from './csv.ts';
import type { AnyRecord, RecordWriter } from './record.ts';
import { detailText, tableWriter, type Widths } from './table.ts';

/** Width of a terminal whose width is unknown. */
const TERMINAL_COLUMNS = 80;

export const FORMATS = ['table', 'ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];
/** A format, or `csv-safe`: CSV in which a spreadsheet finds no formulas. */
export type OutputFormat = Format | 'csv-safe';

/** Writes JSON for the stream. On a terminal, it escapes characters that could change what the terminal shows. */
const jsonFor =
  ({ isTTY = false }: Output) =>
  (value: unknown, indent?: number): string => {
    const json = JSON.stringify(value, null, indent) ?? '';
    return isTTY ? sanitizeJson(json) : json;
  };

const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/**
 * Returns a writer for records in this format. `stream` is where the text goes. `least` has the least widths of the columns
 * of a table. Default: those of their names.
 */
export function recordWriter(
  format: OutputFormat,
  fields: Resource['fields'],
  stream: Output,
  least?: Widths,
): RecordWriter {
  const json = jsonFor(stream);
  if (format === 'table')
    return tableWriter(fields, {
      terminalColumns: stream.isTTY === true ? stream.columns || TERMINAL_COLUMNS : undefined,
      heading: stream.isTTY === true && stream.hasColors?.() === true ? bold : undefined,
      least,
    });
  const clean = stream.isTTY === true ? sanitizeText : undefined;
  if (format === 'csv') return csvWriter(Object.keys(fields), clean);
  if (format === 'csv-safe') {
    return csvWriter(Object.keys(fields), (text) => withoutFormula(clean?.(text) ?? text));
  }
  if (format === 'ndjson') {
    return { page: (records) => records.map((record) => `${json(record)}\n`).join(''), end: () => '' };
  }
  let written = 0;
  return {
    page(records) {
      const texts = records.map((record) => `${written++ === 0 ? '[' : ','}\n${json(record)}`);
      return texts.join('');
    },
    end: () => (written === 0 ? '[]\n' : '\n]\n'),
  };
}

/** One record in a format. As a table, it has one line per field. */
export function recordText(
  format: OutputFormat,
  fields: Resource['fields'],
  record: AnyRecord,
  stream: Output,
): string {
  if (format === 'table') return detailText(Object.keys(fields), record);
  if (format === 'json') return `${jsonFor(stream)(record, 2)}\n`;
  const writer = recordWriter(format, fields, stream);
  return writer.page([record]) + writer.end();
}

/** Any value as JSON: indented on a terminal, on one line otherwise. */
export const valueText = (value: unknown, stream: Output): string =>
  `${jsonFor(stream)(value, stream.isTTY === true ? 2 : undefined)}\n`;

/** The requested format. Default: a table on a terminal, NDJSON otherwise. */
export const formatFor = (asked: Format | undefined, stream: Output): Format =>
  asked ?? (stream.isTTY === true ? 'table' : 'ndjson');
