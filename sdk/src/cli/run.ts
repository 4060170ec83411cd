import { parseArgs } from 'node:util';
import { SvcApiError, SvcError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type Command, UsageError, type Values } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { exitCodeOf } from './exit-code.ts';
import { actionOf, groupsOf } from './groups.ts';
import { commandHelp, generalHelp, groupHelp } from './help.ts';
import { BrokenPipe, Interrupted, type Io, tell, write } from './io.ts';

/** Anything that looks like a key, also within an argument (specification, section 5). */
const TOKEN = /svc_(?:live|test)_[A-Za-z0-9_-]{32}/;

/** Runs a command line; resolves with its exit code. Nothing is thrown: what went wrong is said on standard error. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await dispatch(argv, io);
    return 0;
  } catch (error) {
    const reason: unknown = io.signal.aborted ? io.signal.reason : error;
    await explain(reason, io).catch(() => undefined);
    return exitCodeOf(reason);
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<void> {
  if (argv.some((arg) => TOKEN.test(arg))) {
    throw new UsageError(
      'An API key is never an argument: it would stay in the history, and everybody on this machine could see it. Set SVC_API_KEY or run svc login, and rotate this key.',
    );
  }
  const [first, second, ...rest] = argv;
  if (first === '--version' || first === '-v') return write(io.stdout, `${VERSION}\n`);
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
    const words = groupsOf(COMMANDS).map(({ word }) => word);
    throw new UsageError(`There is no command "${first}"${near(first, words)}`);
  }
  if (group.leaf !== undefined) return runCommand(group.leaf, argv.slice(1), io);
  if (second === undefined || second === '--help' || second === '-h')
    return write(io.stdout, groupHelp(group));
  const command = group.commands.find((candidate) => actionOf(candidate) === second);
  if (command === undefined) {
    throw new UsageError(
      `There is no command "${first} ${second}": ${group.commands.map(actionOf).join(', ')}.`,
    );
  }
  return runCommand(command, rest, io);
}

async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = parse(command, args);
  if (values['help'] === true) return write(io.stdout, commandHelp(command));
  const { positionals: expected = [] } = command;
  if (positionals.length > expected.length && !expected.some((name) => name.includes('…'))) {
    throw new UsageError(
      `"${positionals[expected.length] ?? ''}" is one argument too many. svc ${command.path.join(' ')} --help says more.`,
    );
  }
  await command.run({ io, positionals, values });
}

function parse(
  { path, options }: Command,
  args: readonly string[],
): { values: Values; positionals: readonly string[] } {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      short === undefined ? { type, multiple } : { type, short, multiple },
    ]),
  );
  try {
    return parseArgs({
      args: [...args],
      options: { ...config, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    const [message = ''] = error instanceof Error ? error.message.split('. ', 1) : [];
    throw new UsageError(`${message}. svc ${path.join(' ')} --help says more.`);
  }
}

const TYPING_ERRORS_MAX = 2;

/** `; did you mean "audits"?` for a word that is almost one of these, else how to see them all. */
function near(word: string, known: readonly string[]): string {
  const found = known.find(
    (candidate) => candidate.startsWith(word) || distance(word, candidate) <= TYPING_ERRORS_MAX,
  );
  return found === undefined ? '. svc --help names them.' : `; did you mean "${found}"?`;
}

/** Characters to add, drop or change between two words (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

async function explain(error: unknown, io: Io): Promise<void> {
  if (error instanceof BrokenPipe || error instanceof Interrupted) return;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SvcApiError) {
    const request = error.requestId === undefined ? '' : ` (Request-Id ${error.requestId})`;
    await tell(io, `svc: ${error.code}: ${message}${request}`);
    return;
  }
  await tell(io, `svc: ${message}`);
  if (error instanceof UsageError || error instanceof SvcError) return;
  // A mistake of ours: where, helps whoever is told of it.
  await write(io.stderr, `${error instanceof Error ? error.stack : ''}\n`);
}
