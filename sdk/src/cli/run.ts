import { containsToken } from '../contract/index.ts';
import { SvcApiError, SvcError } from '../errors.ts';
import { nearest } from '../near.ts';
import { RESOURCES } from '../resource.ts';
import { VERSION } from '../version.ts';
import { type Command, UsageError } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { exitCodeOf, FileUnfinished } from './exit-code.ts';
import { actionOf, groupsOf } from './groups.ts';
import { commandHelp, generalHelp, groupHelp } from './help.ts';
import { BrokenPipe, Interrupted, type Io, printMessage, sanitizeText, write } from './io.ts';
import { parseCommand } from './parse.ts';

const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Runs a command line and resolves with its exit code. It never rejects: errors are printed on standard error. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await dispatch(argv, io);
    return 0;
  } catch (error) {
    const reason: unknown =
      io.signal.aborted && !(error instanceof FileUnfinished) ? io.signal.reason : error;
    await reportError(reason, io).catch(() => undefined);
    return exitCodeOf(reason);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<void> {
  if (argv.some(containsToken)) {
    throw new UsageError(
      'An API key must not be an argument: the shell history keeps it, and every user of this machine can see it. Set SVC_API_KEY or run svc login, and rotate this key.',
    );
  }
  if (argv.some((argument) => argument.includes(WEBHOOK_SECRET_PREFIX))) {
    throw new UsageError(
      'The secret of a webhook must not be an argument: the shell history keeps it. Set SVC_WEBHOOK_SECRET or use --secret-file.',
    );
  }
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-v' || (first === 'version' && second === undefined))
    return write(io.stdout, `${VERSION}\n`);
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && second === undefined)
  ) {
    return write(io.stdout, generalHelp(COMMANDS));
  }
  if (first === 'help') return dispatch([...argv.slice(1), '--help'], io);
  const group = groupsOf(COMMANDS).find(({ word }) => word === first);
  if (group === undefined) {
    if (first.startsWith('-'))
      throw new UsageError(`Options come after the command: svc <command> ${first}. For details: svc --help`);
    throw new UsageError(`There is no command "${first}"${otherCommand(first, second)}`);
  }
  if (group.leaf !== undefined) return runCommand(group.leaf, argv.slice(1), io);
  if (second === undefined || second === '--help' || second === '-h')
    return write(io.stdout, groupHelp(group));
  if (second.startsWith('-'))
    throw new UsageError(
      `Options come after the command: svc ${first} <command> ${second}. For details: svc ${first} --help`,
    );
  const command = group.commands.find((candidate) => actionOf(candidate) === second);
  if (command === undefined) {
    const actions = group.commands.map(actionOf);
    const otherwise = `. The commands are ${actions.join(', ')}.`;
    throw new UsageError(`There is no command "${first} ${second}"${suggestion(second, actions, otherwise)}`);
  }
  return runCommand(command, rest, io);
}

async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = parseCommand(command, args);
  if (values['help'] === true) return write(io.stdout, commandHelp(command));
  const { positionals: expected = [] } = command;
  if (positionals.length > expected.length && !expected.some((name) => name.includes('…'))) {
    throw new UsageError(
      `"${positionals[expected.length] ?? ''}" is one argument too many. For details: svc ${command.path.join(' ')} --help`,
    );
  }
  await command.run({ io, positionals, values });
}

/** The rest of a message about an unknown command: `; did you mean "companies list"?` for `list companies`. */
function otherCommand(first: string, second: string | undefined): string {
  const groups = groupsOf(COMMANDS);
  const swapped = groups.find(({ word }) => word === second);
  if (swapped?.commands.some((command) => actionOf(command) === first))
    return `; did you mean "${second} ${first}"?`;
  const plural = Object.values(RESOURCES).find(({ singular }) => singular === first)?.name;
  if (plural !== undefined) return `; did you mean "${plural}"?`;
  return suggestion(
    first,
    groups.map(({ word }) => word),
    '. To list all commands: svc --help',
  );
}

/** `; did you mean "audits"?` if the word is similar to a known one, and `otherwise` if not. */
function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const found = nearest(word, known);
  return found === undefined ? otherwise : `; did you mean "${found}"?`;
}

async function reportError(error: unknown, io: Io): Promise<void> {
  if (error instanceof BrokenPipe || error instanceof Interrupted) return;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SvcApiError) {
    const request = error.requestId === undefined ? '' : ` (Request-Id ${error.requestId})`;
    await printMessage(io, `svc: ${error.code}: ${message}${request}`);
    return;
  }
  await printMessage(io, `svc: ${message}`);
  if (error instanceof UsageError || error instanceof SvcError || isSystemError(error)) return;
  // A bug in this program. The stack helps to report it.
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  await write(io.stderr, `${stack.split('\n').map(sanitizeText).join('\n')}\n`);
}

/** Whether this is an error of the operating system, such as a full disk. Its message is enough. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;
