import type { Command } from './command.ts';

/** Commands that begin with the same word: those of a resource, or one alone. */
export interface Group {
  readonly word: string;
  readonly commands: readonly Command[];
  /** The command, when the word is all of it. */
  readonly leaf: Command | undefined;
}

export const groupsOf = (commands: readonly Command[]): readonly Group[] =>
  [...new Set(commands.map(({ path: [word = ''] }) => word))].map((word) => {
    const own = commands.filter(({ path }) => path[0] === word);
    return { word, commands: own, leaf: own.find(({ path }) => path.length === 1) };
  });

/** The second word of a command of a group. */
export const actionOf = ({ path: [, action = ''] }: Command): string => action;

export const summaryOf = ({ commands, leaf }: Group): string =>
  leaf?.summary ?? commands.map(actionOf).join(', ');
