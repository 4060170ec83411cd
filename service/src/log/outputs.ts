/**
 * Lets the process continue when standard output or standard error cannot be written: the reader of a pipe has ended, a
 * terminal was closed, a disk is full. By default Node ends the process then, with a stack trace. The text is lost; see
 * {@link outputFailure}.
 */
export function ignoreBrokenPipes(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe is no failure: `| head` closes it.
    if (error.code !== 'EPIPE') failure ??= error;
  });
}

let failure: Error | undefined;

/** Why text for standard output was lost; undefined if all of it was written or the reader closed the pipe. */
export const outputFailure = (): Error | undefined => failure;
