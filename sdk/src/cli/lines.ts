import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { SvcError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { type Options, text, UsageError, type Values } from './command.ts';
import { type FileRecord, readCsv } from './csv-input.ts';
import type { Io } from './io.ts';

const INPUTS = ['ndjson', 'csv'] as const;

/** The options of commands that read records from a file. */
export const fileOptions = (does: string): Options => ({
  file: {
    type: 'string',
    short: 'f',
    value: 'FILE',
    description: `${does} of this file: NDJSON, or CSV with a header. - reads standard input`,
  },
  input: {
    type: 'string',
    value: 'FORMAT',
    choices: INPUTS,
    description: 'Format of the file. Default: csv if its name ends with .csv, ndjson otherwise',
  },
});

/**
 * Yields the records of a file. The file `-` is standard input. Throws {@link SvcError} if the file cannot be read, or a
 * line of it is not a record. In CSV, the columns must be among `columns`.
 */
export function readRecords(
  io: Io,
  values: Values,
  { file, fields, columns }: RecordSource,
): AsyncGenerator<FileRecord, void, undefined> {
  const name = nameOf(file);
  const format = inputOf(values, file);
  const input: NodeJS.ReadableStream = file === '-' ? io.stdin : createReadStream(file);
  return format === 'csv'
    ? readCsv(orUnreadable(input, file), { name, fields, columns })
    : readNdjson(input, file, name);
}

/** Throws {@link UsageError} if --input is no format, and {@link SvcError} if the file cannot be read. */
export async function requireReadable(values: Values, file: string): Promise<void> {
  inputOf(values, file);
  if (file === '-') return;
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

/** The name of a file in messages. */
export const nameOf = (file: string): string => (file === '-' ? 'standard input' : file);

interface RecordSource {
  readonly file: string;
  readonly fields: Resource['fields'];
  readonly columns: readonly string[];
}

function inputOf(values: Values, file: string): (typeof INPUTS)[number] {
  const asked = text(values, 'input') ?? (extname(file).toLowerCase() === '.csv' ? 'csv' : 'ndjson');
  const input = INPUTS.find((name) => name === asked);
  if (input === undefined)
    throw new UsageError(`--input must be one of ${INPUTS.join(', ')}, not "${asked}".`);
  return input;
}

const unreadable = (file: string, error: unknown): SvcError =>
  new SvcError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });

async function* orUnreadable(input: NodeJS.ReadableStream, file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input) yield Buffer.from(chunk);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Skips empty lines. */
async function* readNdjson(
  input: NodeJS.ReadableStream,
  file: string,
  name: string,
): AsyncGenerator<FileRecord, void, undefined> {
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (error) => reject(unreadable(file, error)));
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  for (let line = 1; ; line += 1) {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done === true) return;
    if (value.trim() !== '') yield { line, record: parseLine(value, name, line) };
  }
}

function parseLine(text: string, name: string, line: number): FileRecord['record'] {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record === 'object' && record !== null && !Array.isArray(record))
      return record as FileRecord['record'];
  } catch {
    // The error below has the line number.
  }
  throw new SvcError(
    `Line ${line} of ${name} is not a JSON object. The input is NDJSON: one JSON object per line. For CSV, add --input csv.`,
  );
}
