import { randomUUID } from 'node:crypto';
import { rmSync, type Stats } from 'node:fs';
import { open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { syncDirectory } from '@svc/embedded-postgres';
import { errorCode, errorMessage, OperatorError } from '@svc/service/config/errors';
import { isUnavailable } from '@svc/service/database/errors';

/** Only the user who made the file can read it. */
const PRIVATE = 0o600;

interface WholeFileOptions {
  /** The mode of the file, without the bits of the umask. Default: 0600. */
  readonly mode?: number;
  /** May read the complete file under its other name before it gets its own. Default: no check. */
  readonly check?: (partial: string) => Promise<void>;
}

/**
 * Writes a file so that its name appears when it is complete and on the disk. An earlier file of this name stays until
 * then. `write` writes the content to `output`, and need not end it. Throws OperatorError if the file cannot be written.
 * Leaves nothing after a failure, or if the process exits meanwhile.
 */
export async function writeWhole<T>(
  path: string,
  write: (output: Writable) => Promise<T>,
  { mode = PRIVATE, check }: WholeFileOptions = {},
): Promise<T> {
  const file = await replaceable(path);
  const partial = `${file}.partial-${randomUUID()}`;
  const removeAtExit = (): void => rmSync(partial, { force: true });
  process.once('exit', removeAtExit);
  try {
    const handle = await open(partial, 'wx', mode);
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
    await check?.(partial);
    await rename(partial, file);
    await syncDirectory(dirname(file));
    return result;
  } catch (error) {
    await rm(partial, { force: true });
    if (!isUnavailable(error) && error instanceof Error && 'syscall' in error)
      throw new OperatorError(`${path} cannot be written: ${errorMessage(error)}`, { cause: error });
    throw error;
  } finally {
    process.off('exit', removeAtExit);
  }
}

/**
 * The file that a path leads to, which need not exist. Throws OperatorError if there is something else, such as a directory:
 * a rename would fail after all the work, or put a file in the place of /dev/null.
 */
async function replaceable(path: string): Promise<string> {
  try {
    const stats = await statsOf(path);
    if (stats === undefined) return await newFile(path);
    if (stats.isFile()) return await realpath(path);
    if (stats.isDirectory()) throw new Error('it is a directory');
  } catch (error) {
    throw new OperatorError(`${path} cannot be written: ${errorMessage(error)}`, { cause: error });
  }
  throw new OperatorError(`${path} is not a file. For a pipe or a device, write to standard output: -`);
}

/** The name of a file that does not exist. The path may be a link to it. */
async function newFile(path: string): Promise<string> {
  const directory = dirname(path);
  if (!(await statsOf(directory))?.isDirectory()) throw new Error('there is no such directory');
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? path : newFile(resolve(await realpath(directory), target));
}

/** Undefined if nothing exists there. */
async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
