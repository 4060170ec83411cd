import type { Io } from './io.ts';

/** An option of a command, as parsing, help and completion need it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Placeholder of the value in help: `N`, `ID`. */
  readonly value?: string;
  readonly description: string;
  /** All allowed values. */
  readonly choices?: readonly string[];
  /** Whether the value is a list of `choices`, with a comma between them. */
  readonly list?: true;
  readonly multiple?: boolean;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** The parsed arguments of a command. */
export interface Invocation {
  readonly io: Io;
  readonly positionals: readonly string[];
  readonly values: Values;
}

/** One command, such as `svc audits list`. Help, completion and dispatch are derived from it. */
export interface Command {
  readonly path: readonly string[];
  readonly summary: string;
  /** Placeholders of the arguments in help: `ID`, `[FIELD=VALUE…]`. */
  readonly positionals?: readonly string[];
  readonly options: Options;
  /** Words that completion offers for the arguments. */
  readonly completes?: readonly string[];
  /** Further paragraphs of the help. */
  readonly notes?: readonly string[];
  run(invocation: Invocation): Promise<void>;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The option of a parameter of the API: `companyId` → `company`, `publishedAfter` → `published-after`. */
export const optionOf = (parameter: string): string =>
  parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/-id$/, '');

/** The value of an option that takes one; undefined if it is missing. */
export const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

/** Whether a boolean option was given. */
export const flag = (values: Values, name: string): boolean => values[name] === true;

/**
 * The value of a numeric option; undefined if it is missing. Throws {@link UsageError} unless it is a whole number of
 * at least `min`.
 */
export function integer(values: Values, name: string, min: number): number | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value) && Number(value) >= min) return Number(value);
  throw new UsageError(`--${name} must be a whole number of at least ${min}, not "${value}".`);
}

/** The positional argument at an index. Throws {@link UsageError} if it is missing. */
export function positional({ positionals }: Invocation, index: number, name: string): string {
  const value = positionals[index];
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  return value;
}

/** The headers of a repeated `--header`, with names in lower case. Throws {@link UsageError} if one is invalid. */
export function parseHeaders({ header = [] }: Values): Readonly<Record<string, string>> {
  const lines = Array.isArray(header) ? header : [];
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(String(line)) ?? [];
      if (name === '') throw new UsageError(`"${String(line)}" is not NAME:VALUE.`);
      return [name.toLowerCase(), value];
    }),
  );
}
