import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { STANDARD_STREAM } from './arguments.ts';

const READ_BYTES = 256 * 1024;
const STANDARD_INPUT = 0;

interface Input {
  readonly input: Readable;
  readonly fd: number;
  /** In bytes. Undefined if it is not known, as for a pipe. */
  readonly size: number | undefined;
}

/** Opens a file, or standard input. Throws OperatorError if it cannot be read. */
export async function openInput(file: string): Promise<Input> {
  if (file === STANDARD_STREAM) return { input: process.stdin, fd: STANDARD_INPUT, size: undefined };
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error('it is a directory');
    return {
      input: handle.createReadStream({ highWaterMark: READ_BYTES }),
      fd: handle.fd,
      size: stats.isFile() ? stats.size : undefined,
    };
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
