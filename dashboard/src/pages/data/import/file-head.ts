import { csvReader } from '@svc/csv-lines/csv';
import { arrayConverter } from '@svc/csv-lines/json-array';
import type { Line } from '@svc/csv-lines/line';
import { IMPORT_MAX_BYTES } from '@svc/service/dashboard/limits';
import { formatBytes } from '../../../format/number.ts';

export type FileFormat = 'csv' | 'ndjson';
export const CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** A record of the beginning of a file. */
export interface HeadRow {
  /** The line where the record starts, from 1; the number of the item in an array. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why it cannot be read. Null: it can. */
  readonly flaw: string | null;
}

/** The beginning of a file. Only the service validates its values. */
export interface FileHead {
  readonly format: FileFormat;
  /** "CSV", "NDJSON" or "JSON array", with the encoding if it is not UTF-8. */
  readonly kind: string;
  /** Names that the file has: its header row, or the fields of its first records. */
  readonly columns: readonly string[];
  readonly rows: readonly HeadRow[];
  /** These records and the header row, as a file in UTF-8. */
  readonly sample: string;
  /** The line of each record in the sample, from 1. */
  readonly sampleLines: readonly number[];
}

/** The most bytes of a file that the browser reads. Everything here is bounded by it. */
export const HEAD_BYTES = 64 * 1024;
const HEAD_ROWS = 8;

/** Reads the beginning of a file. A text says why the file cannot be imported, and what to do. */
export async function readHead(file: File): Promise<FileHead | string> {
  if (file.size === 0) return 'The file is empty.';
  if (file.size > IMPORT_MAX_BYTES)
    return `The file has ${formatBytes(file.size)}, and at most ${formatBytes(IMPORT_MAX_BYTES)} can be imported here. Divide it, or import it with svcd import.`;
  const given = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const binary = BINARY.find(({ start }) => start.every((byte, i) => given[i] === byte));
  if (binary !== undefined) return binary.advice;
  const encoding = encodingOf(given);
  if (encoding === 'utf-8' && given.includes(0))
    return 'This is not a text file. Choose a CSV, NDJSON or JSON file. A file in UTF-16 needs a byte order mark.';
  const cut = file.size > HEAD_BYTES;
  const text = new TextDecoder(encoding).decode(given, { stream: cut });
  const bytes = encoding === 'utf-8' ? given : new TextEncoder().encode(text);
  const suffix = encoding === 'utf-8' ? '' : ', UTF-16';
  const start = text.trimStart();
  const isArray = start.startsWith('[');
  const isCsv = !isArray && (!start.startsWith('{') || /\.csv$/i.test(file.name));
  const lines = linesOf(bytes, cut);
  const items = isArray ? linesOf(arrayConverter().convert(bytes), cut) : lines;
  // An array can be a single line.
  const foreign = otherEncodingLine(lines) ?? otherEncodingLine(items);
  if (foreign !== undefined)
    return `Line ${foreign.number} is not UTF-8. ${isCsv ? CSV_ADVICE : 'Save the file in UTF-8, then choose it.'}`;
  if (isCsv) return csvHead(lines, cut, `CSV${suffix}`);
  return ndjsonHead(items, `${isArray ? 'JSON array' : 'NDJSON'}${suffix}`);
}

const CSV_ADVICE = 'Save the sheet as “CSV UTF-8”, then choose that file.';
/** Files that people take for a table, by their first bytes. */
const BINARY: readonly { readonly start: readonly number[]; readonly advice: string }[] = [
  {
    start: [0x50, 0x4b, 0x03, 0x04],
    advice: `This is a ZIP file or an Excel workbook (.xlsx). ${CSV_ADVICE}`,
  },
  { start: [0xd0, 0xcf, 0x11, 0xe0], advice: `This is an old Excel workbook (.xls). ${CSV_ADVICE}` },
  { start: [0x1f, 0x8b], advice: 'This file is compressed with gzip. Unpack it first.' },
  { start: [0x89, 0x50, 0x4e, 0x47], advice: 'This is an image. Choose a CSV, NDJSON or JSON file.' },
  { start: [0xff, 0xd8, 0xff], advice: 'This is an image. Choose a CSV, NDJSON or JSON file.' },
  { start: [0x25, 0x50, 0x44, 0x46], advice: 'This is a PDF. Choose a CSV, NDJSON or JSON file.' },
];

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

const LF = 10;
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** Skips a byte order mark. The last line of a part of a file may be incomplete. */
function linesOf(bytes: Uint8Array, cut: boolean): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const next = bytes.indexOf(LF, start);
    if (next === -1 && cut) break;
    const end = next === -1 ? bytes.length : next;
    lines.push(lineOf(bytes.subarray(start, end), lines.length + 1));
    start = end + 1;
  }
  return lines;
}

function lineOf(bytes: Uint8Array, number: number): Line {
  const decoded = LENIENT.decode(bytes);
  const text = number === 1 && decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  return { number, text, flaw: isUtf8(bytes) ? null : 'is not UTF-8' };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    STRICT.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const NOT_ASCII = /[\u{80}-\u{10FFFF}]/u;

/** The first line that is not UTF-8. Undefined if the file has characters outside ASCII in UTF-8: then a line is damaged. */
const otherEncodingLine = (lines: readonly Line[]): Line | undefined =>
  lines.some(({ text, flaw }) => flaw === null && NOT_ASCII.test(text))
    ? undefined
    : lines.find(({ flaw }) => flaw !== null);

const TOO_LONG = `The first line is longer than ${formatBytes(HEAD_BYTES)}. Choose a file with a row or a record per line.`;

function csvHead(lines: readonly Line[], cut: boolean, kind: string): FileHead | string {
  if (lines.length === 0) return TOO_LONG;
  const reader = csvReader();
  const [header, ...rows] = [...reader.read(lines), ...(cut ? [] : reader.end())].slice(0, HEAD_ROWS + 1);
  if (header === undefined) return cut ? TOO_LONG : 'The file is empty: CSV needs a header row.';
  if (header.flaw !== null) return `The header row (line ${header.line}) ${header.flaw}.`;
  const columns = header.cells.map((cell) => cell ?? '');
  const repeated = columns.find((name, i) => name !== '' && columns.indexOf(name) !== i);
  if (repeated !== undefined) return `Two columns are named “${repeated}”. Rename one in the file.`;
  return {
    format: 'csv',
    kind,
    columns,
    rows: rows.map(({ line, cells, flaw }) => ({ line, cells: cells.map((cell) => cell ?? ''), flaw })),
    ...sampleOf([header, ...rows], 1),
  };
}

/** The rows one after the other. The first `skipped` ones are no records. */
function sampleOf(rows: readonly { readonly text: string }[], skipped: number) {
  let line = 1;
  const starts = rows.map(({ text }) => {
    const start = line;
    line += text.split('\n').length;
    return start;
  });
  return { sample: rows.map(({ text }) => `${text}\n`).join(''), sampleLines: starts.slice(skipped) };
}

function ndjsonHead(lines: readonly Line[], kind: string): FileHead | string {
  const records = lines.filter(({ text }) => text.trim() !== '').slice(0, HEAD_ROWS);
  if (records.length === 0) return TOO_LONG;
  const values = records.map(({ text, flaw }) => (flaw === null ? parsed(text) : undefined));
  const columns = [...new Set(values.flatMap((value) => Object.keys(value ?? {})))].slice(0, COLUMNS_MAX);
  return {
    format: 'ndjson',
    kind,
    columns,
    rows: records.map(({ number: line, flaw }, i) => {
      const value = values[i];
      return value === undefined
        ? { line, cells: [], flaw: flaw ?? 'is not a JSON object' }
        : { line, cells: columns.map((column) => textOf(value[column])), flaw: null };
    }),
    ...sampleOf(records, 0),
  };
}

/** More fields than that are not shown. No resource has as many. */
const COLUMNS_MAX = 100;

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
