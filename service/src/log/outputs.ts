/**
 * Standard output and standard error belong to whoever started this process: a pipe whose reader ends, a terminal that
 * is closed, a disk that fills up. Node ends a process that writes to one of them then, in the middle of what it does
 * and with a stack trace. With this it goes on, and its words are lost; who must know whether they arrived, looks itself.
 */
export function ignoreBrokenPipes(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // That nobody reads any more, such as behind `| head`, is no failure.
    if (error.code !== 'EPIPE') failure ??= error;
  });
}

let failure: Error | undefined;

/** Why something that was written to standard output is lost; undefined when all of it was written or nobody reads it. */
export const outputFailure = (): Error | undefined => failure;
