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

/**
 * Yields the text of bytes in UTF-8, without a byte order mark. No part is empty. `refuse` throws the error for other bytes.
 */
export async function* decodeUtf8(
  bytes: AsyncIterable<Uint8Array>,
  refuse: () => never,
): AsyncGenerator<string, void, undefined> {
  // It skips a byte order mark.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return refuse();
    }
  };
  for await (const chunk of bytes) {
    const text = decode(chunk);
    if (text !== '') yield text;
  }
  // Throws if the last character is cut off.
  decode();
}
