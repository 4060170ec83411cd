import type { Command } from '../command.ts';
import { actionOf, groupsOf, summaryOf } from '../groups.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A fish condition: these words were typed, and none of `none`. */
const afterWords = (words: readonly string[], none: readonly string[] = []): string =>
  quoted(
    [
      ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(none.length === 0 ? [] : [`not __fish_seen_subcommand_from ${none.join(' ')}`]),
    ].join('; and '),
  );

function optionLines({ path, options, completes = [] }: Command): string {
  const condition = afterWords(path);
  const words =
    completes.length === 0 ? '' : `complete -c svc -f -n ${condition} -a ${quoted(completes.join(' '))}\n`;
  const lines = Object.entries(options).map(([name, { type, short, description, choices, list }]) => {
    // The function puts what is before the last comma in front of each word.
    const offered = list === true ? `(__fish_append , ${choices?.join(' ')})` : (choices?.join(' ') ?? '');
    const value = type === 'boolean' ? '' : choices === undefined ? ' -r' : ` -x -a ${quoted(offered)}`;
    return `complete -c svc -n ${condition} -l ${name}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoted(description)}\n`;
  });
  return words + lines.join('');
}

/** The completion script for fish. */
export function fishScript(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const first = groups.map(
    (group) =>
      `complete -c svc -f -n __fish_use_subcommand -a ${group.word} -d ${quoted(summaryOf(group))}\n`,
  );
  const actions = groups
    .filter(({ leaf }) => leaf === undefined)
    .flatMap(({ word, commands: own }) =>
      own.map(
        (command) =>
          `complete -c svc -f -n ${afterWords([word], own.map(actionOf))} -a ${actionOf(command)} -d ${quoted(command.summary)}\n`,
      ),
    );
  return `${first.join('')}${actions.join('')}${commands.map(optionLines).join('')}complete -c svc -l help -d 'Show help'\n`;
}
