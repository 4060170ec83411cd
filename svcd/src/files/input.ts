import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { STANDARD_STREAM } from './arguments.ts';

const READ_BYTES = 256 * 1024;
const STANDARD_INPUT = 0;

export interface Input {
  readonly input: Readable;
  readonly fd: number;
  /** In bytes. Undefined if it is not known, as for a pipe. */
  readonly size: number | undefined;
  /** Call it in any case: a file that is open when its handle is collected ends the process with an error. */
  readonly close: () => Promise<void>;
}

/** Opens a file, or standard input. Throws OperatorError if it cannot be read. */
export async function openInput(file: string): Promise<Input> {
  if (file === STANDARD_STREAM) {
    const input = process.stdin;
    const close = async (): Promise<void> => void input.destroy();
    return { input, fd: STANDARD_INPUT, size: undefined, close };
  }
  let opened: FileHandle | undefined;
  try {
    const handle = await open(file);
    opened = handle;
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error('it is a directory');
    const { fd } = handle;
    const input = handle.createReadStream({ highWaterMark: READ_BYTES });
    return {
      input,
      fd,
      size: stats.isFile() ? stats.size : undefined,
      close: () => closeFile(handle, input),
    };
  } catch (error) {
    await opened?.close();
    throw new OperatorError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}

async function closeFile(handle: FileHandle, input: Readable): Promise<void> {
  input.destroy();
  await handle.close();
}
