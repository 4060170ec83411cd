import { Command, CommanderError, type OutputConfiguration } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { type CommandContext, createContext } from './context.ts';
import { explain, MISUSED } from './explain.ts';
import { say, write } from './output.ts';

/** Each command is loaded only when it is used: `start` does not wait for the modules of `import`. */
export const COMMANDS: Readonly<Record<string, () => Promise<(context: CommandContext) => Command>>> = {
  start: async () => (await import('./start.ts')).startCommand,
  demo: async () => (await import('./demo/index.ts')).demoCommand,
  bootstrap: async () => (await import('./bootstrap.ts')).bootstrapCommand,
  user: async () => (await import('./user.ts')).userCommand,
  workspace: async () => (await import('./workspace.ts')).workspaceCommand,
  doctor: async () => (await import('./doctor/index.ts')).doctorCommand,
  health: async () => (await import('./running/health.ts')).healthCommand,
  import: async () => (await import('./files/import.ts')).importCommand,
  export: async () => (await import('./files/export.ts')).exportCommand,
  'upgrade-database': async () => (await import('./upgrade/index.ts')).upgradeDatabaseCommand,
  backup: async () => (await import('./backup/backup.ts')).backupCommand,
  restore: async () => (await import('./backup/restore.ts')).restoreCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
};

const HELP = `
Settings are environment variables (SVC_PORT, SVC_DATA_DIR, …). docs/operations.md lists them.`;

/** Runs one command and sets the exit code: 0 done, 1 failed, 2 wrong arguments or settings. */
export async function runProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runCommand(args, env);
  } catch (error) {
    process.exitCode = failureCode(error, env);
  }
}

async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  let help = '';
  const output: OutputConfiguration = {
    writeOut: (text) => {
      help += text;
    },
    // commander's messages repeat the arguments, so `say` escapes them.
    writeErr: (text) => say(text.trimEnd()),
  };
  try {
    const program = await createProgram(args[0], createContext(env), output);
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    // commander ends so after the help or the version.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    await write(help);
  }
}

/** The program with the named command, or with all commands if the name is unknown. */
async function createProgram(
  name: string | undefined,
  context: CommandContext,
  output: OutputConfiguration,
): Promise<Command> {
  const program = new Command('svcd')
    .description('run and maintain a service')
    .version(manifest.version)
    .addHelpText('after', HELP)
    .configureOutput(output)
    .exitOverride();
  const wanted = COMMANDS[name ?? ''];
  for (const load of wanted === undefined ? Object.values(COMMANDS) : [wanted]) {
    const command = (await load())(context);
    // A command below another one does not inherit them.
    for (const each of [command, ...command.commands])
      each.configureOutput(output).exitOverride().showHelpAfterError('(add --help for help)');
    program.addCommand(command);
  }
  return program;
}

function failureCode(error: unknown, env: NodeJS.ProcessEnv): number {
  // commander has already printed the mistake.
  if (error instanceof CommanderError) return MISUSED;
  const { text, exitCode, unexpected } = explain(error);
  say(`svcd: ${text}`);
  if (unexpected && env['SVC_LOG_LEVEL'] === 'debug' && error instanceof Error) say(error.stack ?? '');
  return exitCode;
}
