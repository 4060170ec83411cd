import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { extname } from 'node:path';
import { capitalized } from '../contract/index.ts';
import { SvcError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { type Options, text, UsageError, type Values } from './command.ts';
import { type FileRecord, readCsv } from './csv-input.ts';
import { decodeUtf8 } from './input.ts';
import type { Io } from './io.ts';
import { arrayItems } from './json-array.ts';

const INPUTS = ['ndjson', 'csv'] as const;

/** The options of commands that read records from a file. */
export const fileOptions = (does: string): Options => ({
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    description: `${does} of this file: NDJSON, a JSON array, or CSV with a header, separated by commas, semicolons or tabs. - reads standard input`,
  },
  input: {
    type: 'string',
    value: 'FORMAT',
    choices: INPUTS,
    description:
      'Format of the file. ndjson is also for a JSON array. Default: csv if its name ends with .csv, ndjson otherwise',
  },
});

/**
 * Yields the records of a file. The file `-` is standard input. Throws {@link SvcError} if the file cannot be read, or a
 * line of it is not a record. In CSV, the columns must be among `columns`. In other formats, lines before `from` may be
 * broken and are left out.
 */
export function readRecords(
  io: Pick<Io, 'stdin'>,
  values: Values,
  { file, fields, columns, from = 1 }: RecordSource,
): AsyncGenerator<FileRecord, void, undefined> {
  const name = nameOf(file);
  const format = inputOf(values, file);
  const input: NodeJS.ReadableStream = file === '-' ? io.stdin : createReadStream(file);
  const bytes = orUnreadable(input, file);
  return format === 'csv' ? readCsv(bytes, { name, fields, columns }) : readNdjson(bytes, name, from);
}

/** Throws {@link UsageError} if --input is no format, and {@link SvcError} if the file cannot be read. */
export async function requireReadable(values: Values, file: string): Promise<void> {
  inputOf(values, file);
  if (file === '-') return;
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

/** A record of a file cannot be used. Those after it can. */
export class BrokenRecord extends SvcError {
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

/** Where a record is in its file. */
type Place = Pick<FileRecord, 'unit' | 'line'>;

/** The name of a file in messages. */
export const nameOf = (file: string): string => (file === '-' ? 'standard input' : file);

interface RecordSource {
  readonly file: string;
  readonly fields: Resource['fields'];
  readonly columns: readonly string[];
  readonly from?: number;
}

function inputOf(values: Values, file: string): (typeof INPUTS)[number] {
  const asked = text(values, 'input') ?? (extname(file).toLowerCase() === '.csv' ? 'csv' : 'ndjson');
  const input = INPUTS.find((name) => name === asked);
  if (input === undefined)
    throw new UsageError(`--input must be one of ${INPUTS.join(', ')}, not "${asked}".`);
  return input;
}

const unreadable = (file: string, error: unknown): SvcError =>
  new SvcError(`${nameOf(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });

async function* orUnreadable(input: NodeJS.ReadableStream, file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input) yield Buffer.from(chunk);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * Reads NDJSON, or a JSON array, whose items are numbered like lines. Skips empty lines. Text that is not UTF-8 is refused,
 * not repaired.
 */
async function* readNdjson(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  from: number,
): AsyncGenerator<FileRecord, void, undefined> {
  let unit: FileRecord['unit'] = 'line';
  let line = 0;
  const decoded = decodeUtf8(bytes, () => {
    const next = capitalized(placeOf({ unit, line: line + 1 }));
    throw new SvcError(`${next} of ${name} or a later ${unit} is not UTF-8.`);
  });
  const texts = arrayItems(decoded, name, () => {
    unit = 'item';
  });
  for await (const text of linesOf(texts)) {
    line += 1;
    if (line >= from && text.trim() !== '')
      yield { line, unit, record: parseLine(text, name, { line, unit }) };
  }
}

/**
 * Yields the lines of a text. `node:readline` is not used: its iterator does not end when the input fails, and it also
 * divides a line at U+2028, which may be in a string of JSON.
 */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let line = '';
  let afterReturn = false;
  for await (const text of texts) {
    // The two characters of a line end can be in two chunks.
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    const [first = '', ...others] = rest.split(/\r\n|\n|\r/);
    line += first;
    for (const next of others) {
      yield line;
      line = next;
    }
  }
  if (line !== '') yield line;
}

/** `line 7`, or `item 7` of a JSON array. */
export const placeOf = ({ unit, line }: Place): string => `${unit} ${line}`;

function parseLine(text: string, name: string, place: Place): FileRecord['record'] {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record === 'object' && record !== null && !Array.isArray(record))
      return record as FileRecord['record'];
  } catch {
    // The error below has the line number.
  }
  throw new BrokenRecord(
    `${capitalized(placeOf(place))} of ${name} is not a JSON object. The input is NDJSON, one JSON object per line, or a JSON array. For CSV, add --input csv.`,
    place,
  );
}
