import type { Command } from '../command.ts';
import { actionOf, groupsOf, summaryOf } from '../groups.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** `name:description`, the form that _describe expects. */
const described = (name: string, description: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${description}`);

const optionCases = (commands: readonly Command[]): string =>
  commands
    .map(({ path, options, completes = [] }) => {
      const values = Object.entries(options)
        .filter(([, { choices }]) => choices !== undefined)
        .map(
          ([name, { choices = [], list }]) =>
            `        --${name}) ${list === true ? "compset -P '*,'; " : ''}found=(${choices.map(quoted).join(' ')}) ;;\n`,
        );
      const words = [
        ...completes.map(quoted),
        ...Object.entries(options).map(([name, { description }]) => described(`--${name}`, description)),
      ];
      return `    '${path.join(' ')}')
      case "$words[CURRENT-1]" in
${values.join('')}        *) found=(${words.join(' ')} '--help:Show help') ;;
      esac ;;\n`;
    })
    .join('');

/** The completion script for zsh. It works as a file in $fpath and with eval. */
export function zshScript(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const actions = groups
    .filter(({ leaf }) => leaf === undefined)
    .map(
      ({ word, commands: own }) =>
        `      ${word}) found=(${own.map((command) => described(actionOf(command), command.summary)).join(' ')}) ;;\n`,
    );
  const leaves = groups.flatMap(({ word, leaf }) => (leaf === undefined ? [] : [word]));
  return `#compdef svc
_svc() {
  local -a found
  local command="$words[2]"
  case "$command" in
    ${leaves.join('|')}) ;;
    *) command="$command $words[3]" ;;
  esac
  if (( CURRENT == 2 )); then
    found=(${groups.map((group) => described(group.word, summaryOf(group))).join(' ')})
  elif (( CURRENT == 3 )) && [[ "$command" != "$words[2]" ]]; then
    case "$words[2]" in
${actions.join('')}    esac
  else
    case "$command" in
${optionCases(commands)}    esac
  fi
  _describe 'svc' found || _files
}
if [ "$funcstack[1]" = "_svc" ]; then _svc "$@"; else compdef _svc svc; fi
`;
}
