import { errorMessage } from '../database/embedded/error.ts';
import { OperatorError } from '../operator-error.ts';

/**
 * Writes to standard output. Resolves when it is written: true, or false when nobody reads it any more. Throws
 * OperatorError when it cannot be written, such as to a file on a full disk.
 */
export function write(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve(true);
      else if ('code' in error && error.code === 'EPIPE') resolve(false);
      else reject(unwritable(error));
    });
  });
}

/** A command's result, a line of standard output. Throws as `write` does: the command has not done what it was asked for. */
export async function print(text: string): Promise<void> {
  await write(`${text}\n`);
}

export const unwritable = (error: Error): OperatorError =>
  new OperatorError(`standard output cannot be written: ${errorMessage(error)}`);
