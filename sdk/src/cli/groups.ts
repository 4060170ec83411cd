import type { Command } from './command.ts';

/** The commands that begin with the same word: those of a resource, or a single command. */
export interface Group {
  readonly word: string;
  readonly commands: readonly Command[];
  /** The command that consists only of this word; undefined for the group of a resource. */
  readonly leaf: Command | undefined;
}

/** Groups commands by their first word, in the order of the commands. */
export const groupsOf = (commands: readonly Command[]): readonly Group[] =>
  [...new Set(commands.map(({ path: [word = ''] }) => word))].map((word) => {
    const own = commands.filter(({ path }) => path[0] === word);
    return { word, commands: own, leaf: own.find(({ path }) => path.length === 1) };
  });

/** The second word of a command in a group: `list`. */
export const actionOf = ({ path: [, action = ''] }: Command): string => action;

/** One line for help: the summary of a single command, or the actions of a group. */
export const summaryOf = ({ commands, leaf }: Group): string =>
  leaf?.summary ?? commands.map(actionOf).join(', ');
