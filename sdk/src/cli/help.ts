import { VERSION } from '../version.ts';
import type { Command, Option } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { actionOf, type Group, groupsOf, summaryOf } from './groups.ts';

const INDENT = '  ';

/** Two columns. The first is as wide as its longest entry. */
function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([left]) => left.length));
  return entries.map(([left, right]) => `${INDENT}${left.padEnd(width)}${INDENT}${right}\n`).join('');
}

const usageOf = ({ path, positionals = [], options }: Command): string =>
  ['svc', ...path, ...positionals, ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');

const optionRow = ([name, { short, value, description, choices }]: [string, Option]): readonly [
  string,
  string,
] => [
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
  `${description}.${choices === undefined ? '' : ` Values: ${choices.join(', ')}.`}`,
];

/** `svc audits list --help`. */
export function commandHelp(command: Command): string {
  const { summary, options, notes = [] } = command;
  const help = ['-h, --help', 'Show this help.'] as const;
  return `${summary}.

Usage: ${usageOf(command)}

Options:
${rows([...Object.entries(options).map(optionRow), help])}${notes.map((note) => `\n${note}\n`).join('')}`;
}

/** `svc audits --help`. */
export const groupHelp = ({ word, commands }: Group): string => `Usage: svc ${word} <command> [options]

Commands:
${rows(commands.map((command) => [actionOf(command), `${command.summary}.`]))}
For details: svc ${word} <command> --help
`;

/** `svc --help`. */
export const generalHelp = (
  commands: readonly Command[],
): string => `svc ${VERSION}: read and write the data of an svc workspace.

Usage: svc <command> [options]

Commands:
${rows(groupsOf(commands).map((group) => [group.word, group.leaf === undefined ? summaryOf(group) : `${summaryOf(group)}.`]))}
For details: svc <command> --help. Records are printed as a table on a terminal and as NDJSON in a pipe.

The API key comes from SVC_API_KEY or svc login, the address from SVC_BASE_URL or svc login. For several services or
workspaces: --profile NAME, or SVC_PROFILE. To see requests and responses: --debug.

Exit codes:
${rows(Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]))}`;
