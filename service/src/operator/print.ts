import { OperatorError } from '../config/operator-error.ts';
import { errorMessage } from '../database/embedded/error.ts';
import { terminalText } from '../log/terminal-text.ts';

/**
 * Writes data to standard output, as it is unless that is a terminal. Resolves when it is written: true, or false when nobody reads it any more. Throws
 * OperatorError when it cannot be written, such as to a file on a full disk.
 */
export const write = (text: string): Promise<boolean> =>
  writeRaw(process.stdout.isTTY ? terminalText(text) : text);

function writeRaw(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve(true);
      else if ('code' in error && error.code === 'EPIPE') resolve(false);
      else reject(unwritable(error));
    });
  });
}

/**
 * A command's result, a line of standard output; what could change a terminal is escaped. `paint` colors it afterwards.
 * Throws as `write` does: the command has not done what it was asked for.
 */
export async function print(text: string, paint: (text: string) => string = (plain) => plain): Promise<void> {
  await writeRaw(`${paint(terminalText(text))}\n`);
}

export const unwritable = (error: Error): OperatorError =>
  new OperatorError(`standard output cannot be written: ${errorMessage(error)}`);
