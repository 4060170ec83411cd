import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { SvcError } from '../errors.ts';
import type { Io } from './io.ts';

/**
 * Yields the records of an NDJSON file, one per line. The file `-` is standard input. Skips empty lines. Throws
 * {@link SvcError} if the file cannot be read or a line is not a JSON object.
 */
export async function* readRecords(io: Io, file: string): AsyncGenerator<object, void, undefined> {
  const input: NodeJS.ReadableStream = file === '-' ? io.stdin : createReadStream(file);
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (error) =>
      reject(new SvcError(`${file} cannot be read: ${error.message}`, { cause: error })),
    );
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  for (let number = 1; ; number += 1) {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done === true) return;
    if (value.trim() !== '') yield parseLine(value, file, number);
  }
}

function parseLine(line: string, file: string, number: number): object {
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
  } catch {
    // The error below has the line number.
  }
  throw new SvcError(
    `Line ${number} of ${file === '-' ? 'standard input' : file} is not a JSON object. The input is NDJSON: one JSON object per line.`,
  );
}
