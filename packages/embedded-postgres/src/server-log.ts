import { open, rename, stat } from 'node:fs/promises';
import { errorCode } from './error.ts';

const BYTES_PER_MIB = 1024 * 1024;
const LARGEST_LOG_BYTES = 8 * BYTES_PER_MIB;
/** How much of the end is shown when a start fails. */
const TAIL_BYTES = 4 * 1024;
const TAIL_LINES = 12;

/** Puts a large log aside before a start, in place of the one before it. Resolves with the size that is left. */
export async function boundServerLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    },
  );
  if (size <= LARGEST_LOG_BYTES) return size;
  await rename(path, `${path}.old`);
  return 0;
}

/** The last lines that the server wrote after this offset. */
export async function serverLogSince(path: string, offset: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(offset, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.max(size - start, 0)),
      position: start,
    });
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    await file.close();
  }
}
