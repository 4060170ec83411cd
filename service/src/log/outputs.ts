/**
 * Standard output and standard error belong to whoever started this process: a pipe whose reader ends, a terminal that
 * is closed, a disk that fills up. Node ends a process that writes to one of them then, in the middle of what it does
 * and with a stack trace. With this it goes on, and its words are lost; who must know whether they arrived, looks itself.
 */
export function outliveOutputs(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
}
