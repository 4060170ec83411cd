import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { syncDirectory } from '@svc/embedded-postgres';
import { errorCode, errorMessage, OperatorError } from '@svc/service/config/errors';
import { isUnavailable } from '@svc/service/database/errors';

/** Only the user who made the backup can read it: it contains what people have stored. */
const PRIVATE = 0o600;

/**
 * Writes a file so that its name appears when it is complete and on the disk. An earlier file of this name stays until
 * then. `write` writes the content to `output` and does not end it. `check` may read the file under its other name before
 * it gets its own. Throws OperatorError if the file cannot be written, and leaves nothing.
 */
export async function writeWhole<T>(
  path: string,
  write: (output: Writable) => Promise<T>,
  check: (partial: string) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const file = await replaceable(path);
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

/**
 * The file that a path leads to, which need not exist. Throws OperatorError if there is something else, such as a directory:
 * a rename would fail after all the work, or put a file in the place of /dev/null.
 */
async function replaceable(path: string): Promise<string> {
  try {
    const file = await realpath(path);
    if ((await stat(file)).isFile()) return file;
  } catch (error) {
    const isNew = errorCode(error) === 'ENOENT';
    if (isNew && (await stat(dirname(path)).catch(() => undefined))?.isDirectory()) return path;
    const reason = isNew ? 'there is no such directory' : errorMessage(error);
    throw new OperatorError(`${path} cannot be written: ${reason}`, { cause: error });
  }
  throw new OperatorError(`${path} is not a file. For a pipe or a device, write to standard output: -`);
}
