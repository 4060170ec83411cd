import { parseArgs } from 'node:util';
import { nearest } from '../near.ts';
import { type Command, type Options, optionOf, UsageError, type Values } from './command.ts';

/**
 * Parses the options and arguments of a command. Throws {@link UsageError} if an option is unknown or has no value.
 */
export function parseCommand(
  { path, options }: Command,
  args: readonly string[],
): { values: Values; positionals: readonly string[] } {
  const known: Options = { ...options, help: { type: 'boolean', short: 'h', description: '' } };
  const refuse = (message: string): never => {
    throw new UsageError(`${message} For details: svc ${path.join(' ')} --help`);
  };
  // Not strict: the messages of parseArgs are long and written for developers.
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(known).map(([name, option]) => [name, parsedAs(option)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) return refuse(`There is no option ${rawName}${nearOption(name, known)}`);
    if (option.type === 'boolean') {
      if (value !== undefined) refuse(`${rawName} takes no value.`);
    } else if (value === undefined || (inlineValue === false && /^-./.test(value))) {
      refuse(`${rawName} needs a value${option.value === undefined ? '' : `: ${rawName} ${option.value}`}.`);
    }
  }
  return { values, positionals };
}

const parsedAs = ({ type, short, multiple = false }: Options[string]) =>
  short === undefined ? { type, multiple } : { type, short, multiple };

/**
 * `. Did you mean --sort?`: the option of this parameter of the API, an option that has this name as a value, or one with
 * a similar name.
 */
function nearOption(name: string, options: Options): string {
  const known = Object.keys(options);
  if (known.includes(optionOf(name))) return `. Did you mean --${optionOf(name)}?`;
  const valued = Object.entries(options).find(([, { choices = [] }]) => choices.includes(name));
  if (valued !== undefined) return `. Did you mean --${valued[0]} ${name}?`;
  const near = name.length > 1 ? nearest(name, known) : undefined;
  return near === undefined ? '.' : `. Did you mean --${near}?`;
}
