import { Command, CommanderError } from 'commander';
import { createContext } from './context.ts';
import { explain, MISUSED } from './explain.ts';
import { say } from './say.ts';
import { startCommand } from './start.ts';

const HELP = `
Settings are environment variables (SVC_PORT, SVC_DATA_DIR, …): docs/operations.md lists them all.`;

/** Runs one command and sets the process's exit code: 0 done, 1 failed, 2 wrong arguments or settings. */
export async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const context = createContext(env);
  const program = new Command('svcd')
    .description('runs and looks after a service')
    .addHelpText('after', HELP)
    .showSuggestionAfterError()
    .exitOverride();
  program.addCommand(startCommand(context));
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = failureCode(error, env);
  }
}

function failureCode(error: unknown, env: NodeJS.ProcessEnv): number {
  // Help was asked for, or the command line has said already what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { text, exitCode, unexpected } = explain(error);
  say(`svcd: ${text}`);
  if (unexpected && env['SVC_LOG_LEVEL'] === 'debug' && error instanceof Error) say(error.stack ?? '');
  return exitCode;
}
