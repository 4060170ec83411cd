import { extname } from 'node:path';
import { FORMATS, type Format } from '@svc/service/bulk/batches';
import { OperatorError } from '@svc/service/config/errors';
import type { Resource } from '@svc/service/resources/define';
import { RECORD_RESOURCES } from '@svc/service/resources/index';
import { Argument } from 'commander';
import { MisuseError } from '../misuse-error.ts';

/** The file name for standard input or output. */
export const STANDARD_STREAM = '-';

const FORMAT_OF: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

/** An import reads a JSON array as it reads NDJSON. An export does not write one. */
const READ_FORMAT_OF: Readonly<Record<string, Format>> = { ...FORMAT_OF, '.json': 'ndjson' };

/** The requested format of a file to read, or else that of its name. Throws MisuseError if neither is known. */
export const readFormatOf = (file: string, asked: Format | undefined): Format =>
  formatIn(READ_FORMAT_OF, file, asked);

/**
 * The requested format of a file to write, or else that of its name. Standard output gets NDJSON. Throws MisuseError if
 * neither is known.
 */
export const writtenFormatOf = (file: string, asked: Format | undefined): Format =>
  file === STANDARD_STREAM ? (asked ?? 'ndjson') : formatIn(FORMAT_OF, file, asked);

function formatIn(
  formats: Readonly<Record<string, Format>>,
  file: string,
  asked: Format | undefined,
): Format {
  const format = asked ?? formats[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  const where = file === STANDARD_STREAM ? 'standard input' : `the file name ${file}`;
  throw new MisuseError(
    `the format of ${where} is not known: add --format ${FORMATS.join(' or --format ')}.`,
  );
}

/** The resource that an argument names. commander has checked the name. */
export function resourceOf(name: string): Resource {
  const resource = RECORD_RESOURCES.find((one) => one.name === name);
  if (resource === undefined) throw new OperatorError(`there is no resource ${name}.`);
  return resource;
}

export const resourceArgument = (): Argument =>
  new Argument('<resource>', 'resource of the records').choices(RECORD_RESOURCES.map(({ name }) => name));
