import { setImmediate } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { outputFailure } from '../log/outputs.ts';
import { type CommandContext, createContext } from './context.ts';
import { explain, FAILED, MISUSED } from './explain.ts';
import { say, unwritable } from './output.ts';

/** Each command in a file of its own, read when it is wanted: `start` does not wait for what `import` needs. */
export const COMMANDS: Readonly<Record<string, () => Promise<(context: CommandContext) => Command>>> = {
  start: async () => (await import('./start.ts')).startCommand,
  demo: async () => (await import('./demo/index.ts')).demoCommand,
  bootstrap: async () => (await import('./bootstrap.ts')).bootstrapCommand,
  user: async () => (await import('./user.ts')).userCommand,
  doctor: async () => (await import('./doctor/index.ts')).doctorCommand,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
};

const HELP = `
Settings are environment variables (SVC_PORT, SVC_DATA_DIR, …): docs/operations.md lists them all.`;

/** Runs one command and sets the process's exit code: 0 done, 1 failed, 2 wrong arguments or settings. */
export async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await (await createProgram(args[0], createContext(env))).parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = failureCode(error, env);
  }
  if ((process.exitCode ?? 0) === 0) await refuseLostOutput();
}

/** What commander says holds the arguments. */
const OUTPUT = { writeErr: (text: string) => say(text.trimEnd()) };

/** Also help, which is not written by `print`, is not lost without a word. */
async function refuseLostOutput(): Promise<void> {
  // After the errors of what was written before.
  await setImmediate();
  const failure = outputFailure();
  if (failure === undefined) return;
  say(`svcd: ${unwritable(failure).message}`);
  process.exitCode = FAILED;
}

/** The command line with the named command, or with all of them when there is none of the name. */
async function createProgram(name: string | undefined, context: CommandContext): Promise<Command> {
  const program = new Command('svcd')
    .description('runs and looks after a service')
    .addHelpText('after', HELP)
    .configureOutput(OUTPUT)
    .exitOverride();
  const wanted = COMMANDS[name ?? ''];
  for (const load of wanted === undefined ? Object.values(COMMANDS) : [wanted]) {
    const command = (await load())(context).configureOutput(OUTPUT).exitOverride();
    program.addCommand(command.showHelpAfterError('(add --help for help)'));
  }
  return program;
}

function failureCode(error: unknown, env: NodeJS.ProcessEnv): number {
  // Help was asked for, or the command line has said already what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { text, exitCode, unexpected } = explain(error);
  say(`svcd: ${text}`);
  if (unexpected && env['SVC_LOG_LEVEL'] === 'debug' && error instanceof Error) say(error.stack ?? '');
  return exitCode;
}
