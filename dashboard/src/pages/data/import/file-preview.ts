import { requiredFields, writableFields } from '@svc/sdk/contract';
import type { ResourceContract } from '../../../resources/resources.ts';

export type FileFormat = 'csv' | 'ndjson';
export const CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** The first records of a file. Only the service validates the lines. */
export interface FilePreview {
  readonly format: FileFormat;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Required fields that the first records lack. */
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
}

const HEAD_BYTES = 64 * 1024;
const ROWS = 5;

export async function previewOf(file: File, resource: ResourceContract): Promise<FilePreview> {
  const cut = file.size > HEAD_BYTES;
  const head = (await file.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF/, '');
  const format = /\.csv$/i.test(file.name) || !head.trimStart().startsWith('{') ? 'csv' : 'ndjson';
  const { columns, rows } = format === 'csv' ? csvHead(head) : ndjsonHead(head, cut);
  const known = writableFields(resource, 'import');
  return {
    format,
    columns,
    rows: rows.slice(0, ROWS),
    missing: requiredFields(resource, 'import').filter((name) => !columns.includes(name)),
    unknown: columns.filter((column) => !Object.hasOwn(known, column)),
  };
}

type Head = Pick<FilePreview, 'columns' | 'rows'>;

function ndjsonHead(head: string, cut: boolean): Head {
  const lines = head.split('\n');
  // The last line may be incomplete.
  const whole = cut ? lines.slice(0, -1) : lines;
  const records = whole
    .filter((line) => line.trim() !== '')
    .slice(0, ROWS)
    .map(parsed);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record ?? {})))];
  return {
    columns,
    rows: records.map((record) =>
      record === undefined ? ['Not valid JSON'] : columns.map((column) => textOf(record[column])),
    ),
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
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

/** Parses the first records of a CSV file (RFC 4180). */
function csvHead(head: string): Head {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < head.length && records.length <= ROWS; i++) {
    const character = head.charAt(i);
    if (quoted) {
      if (character !== '"') cell += character;
      else if (head.charAt(i + 1) === '"') {
        cell += '"';
        i += 1;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === ',') {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      cells.push(cell.replace(/\r$/, ''));
      if (cells.some((text) => text !== '')) records.push(cells);
      cells = [];
      cell = '';
    } else cell += character;
  }
  if (records.length <= ROWS && (cell !== '' || cells.length > 0)) records.push([...cells, cell]);
  const [columns = [], ...rows] = records;
  return { columns, rows };
}
