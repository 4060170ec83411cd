import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { EmbeddedError } from '../errors.ts';
import { type Account, launcherFor } from './account.ts';

export type RunOptions = {
  /** The user that the program runs as. Undefined: the current user. */
  readonly account: Account | undefined;
  /** The working directory. The user need not be able to reach its path. Default: `/`. */
  readonly directory?: string;
  /** Default: empty. */
  readonly input?: string;
  /** Descriptors that the program inherits as 3, 4 and so on. */
  readonly inherit?: readonly number[];
  /** The program is killed after this time. Default: no limit. */
  readonly timeoutMs?: number;
};

export type RunResult = {
  /** The exit code, or the signal that ended the program. */
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
};

/** Runs a program of PostgreSQL to its end. Throws EmbeddedError if it cannot be run. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { account, directory, input = '', inherit = [], timeoutMs }: RunOptions,
): Promise<RunResult> {
  const { file, args: all, options } = launcherFor(account)(program, args, directory);
  const child = spawn(file, all, {
    ...options,
    stdio: ['pipe', 'pipe', 'pipe', ...inherit],
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' as const }),
  });
  const [stdin, stdout, stderr] = child.stdio;
  if (stdin === null || stdout === null || stderr === null)
    throw new EmbeddedError(`${program} has no pipes`);
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  // If the program ends before it has read its input, its exit code is the error to report.
  stdin.on('error', () => undefined);
  stdin.end(input);
  try {
    const [code, output, errors] = await Promise.all([exited, text(stdout), text(stderr)]);
    return { code, output, errors };
  } catch (error) {
    throw new EmbeddedError(`${program} cannot be run: ${String(error)}`, { cause: error });
  }
}
