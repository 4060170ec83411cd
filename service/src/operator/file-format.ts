import { extname } from 'node:path';
import { FORMATS, type Format } from '../bulk/batches.ts';
import { OperatorError } from '../config/operator-error.ts';

/** The file name that stands for standard input or output. */
export const STANDARD_STREAM = '-';

const FORMAT_OF: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

/** The format that was asked for, else the one that the file's name says. Throws OperatorError when neither does. */
export function formatOf(file: string, asked: Format | undefined): Format {
  const format = asked ?? FORMAT_OF[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  const name = file === STANDARD_STREAM ? 'Standard input and output have no name' : `${file} does not say`;
  throw new OperatorError(`${name} that tells the format: add --format ${FORMATS.join(' or --format ')}.`);
}
