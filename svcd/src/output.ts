import { fstatSync, writeFile } from 'node:fs';
import { Writable } from 'node:stream';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { terminalText } from '@svc/telemetry/log/terminal-text';

/**
 * Standard output. A regular file takes only a part of the text if a disk becomes full. `process.stdout` ignores this, so
 * that the rest is lost. `writeFile` writes the rest, or fails.
 */
export const standardOutput = openOutput(process.stdout);

function openOutput(stdout: typeof process.stdout): Writable {
  if (!fstatSync(stdout.fd).isFile()) return stdout;
  const file = new Writable({ write: (bytes, _encoding, done) => writeFile(stdout.fd, bytes, done) });
  // Each write reports its error itself.
  return file.on('error', () => undefined);
}

/** Prints a message for people to standard error; standard output is for results and logs. */
export const say = (text: string): void => {
  process.stderr.write(terminalText(`${text}\n`));
};

/**
 * Prints a command's result as a line to standard output. Escapes characters that could change a terminal; then `paint`
 * adds colors. Throws OperatorError if the line cannot be written.
 */
export async function print(text: string, paint: (text: string) => string = (plain) => plain): Promise<void> {
  await writeRaw(`${paint(terminalText(text))}\n`);
}

/**
 * Writes data to standard output. Escapes it only if standard output is a terminal. Resolves to true when it is written,
 * or to false if the reader has closed the pipe. Throws OperatorError if it cannot be written, as on a full disk.
 */
export const write = (text: string): Promise<boolean> =>
  writeRaw(process.stdout.isTTY ? terminalText(text) : text);

function writeRaw(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    standardOutput.write(text, (error) => {
      if (!error) resolve(true);
      else if ('code' in error && error.code === 'EPIPE') resolve(false);
      else reject(unwritable(error));
    });
  });
}

export const unwritable = (error: Error): OperatorError =>
  new OperatorError(`standard output cannot be written: ${errorMessage(error)}`);
