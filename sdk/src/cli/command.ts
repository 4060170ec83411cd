import type { Io } from './io.ts';

/** An option of a command: what parsing, help and completion need to know of it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What its value is, for help: `N`, `ID`. */
  readonly value?: string;
  readonly description: string;
  /** All values that it can have. */
  readonly choices?: readonly string[];
  readonly multiple?: boolean;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** What a command is called with, parsed. */
export interface Invocation {
  readonly io: Io;
  readonly positionals: readonly string[];
  readonly values: Values;
}

/** One command, `svc audits list`. Help, completion and dispatch derive from it. */
export interface Command {
  readonly path: readonly string[];
  readonly summary: string;
  /** Names of its arguments for help: `ID`, `[FIELD=VALUE…]`. */
  readonly positionals?: readonly string[];
  readonly options: Options;
  /** Words that completion offers for its arguments. */
  readonly completes?: readonly string[];
  /** More to say in its help, in paragraphs. */
  readonly notes?: readonly string[];
  run(invocation: Invocation): Promise<void>;
}

/** What was typed cannot be right: exit code 2, with where help is. */
export class UsageError extends Error {}

export const text = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

export const flag = (values: Values, name: string): boolean => values[name] === true;

/** The value of a numeric option; throws {@link UsageError} when it is not a whole number from `min` on. */
export function integer(values: Values, name: string, min: number): number | undefined {
  const value = text(values, name);
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value) && Number(value) >= min) return Number(value);
  throw new UsageError(`--${name} must be a whole number from ${min} on, not "${value}".`);
}

/** The positional argument at an index; throws {@link UsageError} when it is missing. */
export function positional({ positionals }: Invocation, index: number, name: string): string {
  const value = positionals[index];
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  return value;
}
