import { Interrupted } from '@svc/sdk/cli/io';
import { readSecret } from '@svc/sdk/cli/prompt';
import { signalExitCode } from './signals.ts';

/** Reads a password: from the terminal without echo, otherwise the first line of standard input. Exits on Ctrl-C. */
export async function readPassword(question: string): Promise<string> {
  try {
    return await readSecret(process, question);
  } catch (error) {
    if (error instanceof Interrupted) process.exit(signalExitCode('SIGINT'));
    throw error;
  }
}
