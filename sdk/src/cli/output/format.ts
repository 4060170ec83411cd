import type { Resource } from '../../resource.ts';
import { type Output, sanitizeJson, sanitizeText } from '../io.ts';
import { csvWriter, withoutFormula } from './csv.ts';
import type { AnyRecord, RecordWriter } from './record.ts';
import { detailText, tableWriter } from './table.ts';

/** Of a terminal that does not tell. */
const TERMINAL_COLUMNS = 80;

export const FORMATS = ['table', 'ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];
/** With `csv-safe` for CSV that a spreadsheet takes no formula from. */
export type OutputFormat = Format | 'csv-safe';

/** JSON for the stream: on a terminal without characters that could change what it shows. */
const jsonFor =
  ({ isTTY = false }: Output) =>
  (value: unknown, indent?: number): string => {
    const json = JSON.stringify(value, null, indent) ?? '';
    return isTTY ? sanitizeJson(json) : json;
  };

export function recordWriter(format: OutputFormat, fields: Resource['fields'], stream: Output): RecordWriter {
  const json = jsonFor(stream);
  if (format === 'table')
    return tableWriter(fields, stream.isTTY === true ? stream.columns || TERMINAL_COLUMNS : undefined);
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

/** One record in a format; a table of one is a line a field. */
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

/** Any JSON: indented for people, on one line for programs. */
export const valueText = (value: unknown, stream: Output): string =>
  `${jsonFor(stream)(value, stream.isTTY === true ? 2 : undefined)}\n`;

/** The format that was asked for, or else the one for who reads: people on a terminal, programs in a pipe. */
export const formatFor = (asked: Format | undefined, stream: Output): Format =>
  asked ?? (stream.isTTY === true ? 'table' : 'ndjson');
