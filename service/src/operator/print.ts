import { errorMessage } from '../database/embedded/error.ts';
import { OperatorError } from '../operator-error.ts';

/**
 * A command's result, on standard output. Resolves when it is written, or when nobody reads it any more; throws
 * OperatorError when it cannot be, such as to a file on a full disk: whoever asked for the result has none.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (!error || ('code' in error && error.code === 'EPIPE')) resolve();
      else reject(new OperatorError(`standard output cannot be written: ${errorMessage(error)}`));
    });
  });
}
