import { readFile } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { untilAborted } from '../stoppable.ts';
import type { Io } from './io.ts';

/**
 * Reads a whole file, or standard input for `-`. Throws {@link SvcError} if it cannot be read, and the reason of the
 * signal when that is aborted.
 */
export async function readInput(io: Io, file: string): Promise<Uint8Array> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of untilAborted(io.stdin, io.signal)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  return readFile(file).catch((error: Error) => {
    throw new SvcError(`${file} cannot be read: ${error.message}`, { cause: error });
  });
}
