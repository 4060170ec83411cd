import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { isUnavailable } from '@svc/service/database/errors';

/** Only the user who made the backup can read it: it contains what people have stored. */
const PRIVATE = 0o600;

/**
 * Writes a file so that its name appears when it is complete and on the disk. `write` writes the content to `output` and
 * does not end it. `check` may read the file under its other name before it gets its own. Throws OperatorError if the
 * file cannot be written, and leaves nothing.
 */
export async function writeWhole<T>(
  file: string,
  write: (output: Writable) => Promise<T>,
  check: (partial: string) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const partial = `${file}.partial-${randomUUID()}`;
  try {
    const handle = await open(partial, 'wx', PRIVATE);
    let result: T;
    try {
      result = await write(
        new Writable({
          write: (bytes: Buffer, _encoding, done) => {
            // From where the last write has ended.
            handle.writeFile(bytes).then(() => done(), done);
          },
        }),
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    await check(partial);
    await rename(partial, file);
    await syncDirectory(dirname(file));
    return result;
  } catch (error) {
    await rm(partial, { force: true });
    if (!isUnavailable(error) && error instanceof Error && 'syscall' in error)
      throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}`, { cause: error });
    throw error;
  }
}

/** The rename is on the disk after this. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
