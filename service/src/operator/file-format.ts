import { extname } from 'node:path';
import { FORMATS, type Format } from '../bulk/batches.ts';
import { OperatorError } from '../config/operator-error.ts';

/** The file name for standard input or output. */
export const STANDARD_STREAM = '-';

const FORMAT_OF: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

/** The requested format, or else that of the file name. Throws OperatorError if neither is known. */
export function formatOf(file: string, asked: Format | undefined): Format {
  const format = asked ?? FORMAT_OF[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  const where = file === STANDARD_STREAM ? 'standard input or output' : `the file name ${file}`;
  throw new OperatorError(
    `the format of ${where} is not known: add --format ${FORMATS.join(' or --format ')}.`,
  );
}
