import type { Command } from '../command.ts';
import { actionOf, groupsOf } from '../groups.ts';

/** The cases that offer the options of a command, or the values of an option. */
const cases = (commands: readonly Command[]): string =>
  commands
    .map(({ path, options, completes = [] }) => {
      const names = Object.keys(options).map((name) => `--${name}`);
      const values = Object.entries(options)
        .filter(([, { choices }]) => choices !== undefined)
        .map(
          ([name, { choices = [], list }]) =>
            `        --${name}) words='${choices.join(' ')}'${list === true ? ' list=1' : ''} ;;\n`,
        );
      return `    '${path.join(' ')}')
      case "$previous" in
${values.join('')}        *) words='${[...completes, ...names, '--help'].join(' ')}' ;;
      esac ;;\n`;
    })
    .join('');

/** The completion script for bash 3.2 and newer. */
export function bashScript(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const actions = groups
    .filter(({ leaf }) => leaf === undefined)
    .map(({ word, commands: own }) => `      ${word}) words='${own.map(actionOf).join(' ')}' ;;\n`);
  const leaves = groups.flatMap(({ word, leaf }) => (leaf === undefined ? [] : [word]));
  return `_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" words='' list='' before=''
  case "$command" in
    ${leaves.join('|')}) ;;
    *) command="$command \${COMP_WORDS[2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${[...groups.map(({ word }) => word), '--help', '--version'].join(' ')}'
  elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" != "\${COMP_WORDS[1]}" ]; then
    case "\${COMP_WORDS[1]}" in
${actions.join('')}    esac
  else
    case "$command" in
${cases(commands)}    esac
  fi
  if [ -n "$list" ]; then
    case "$current" in *,*) before="\${current%,*}," ;; esac
    compopt -o nospace 2> /dev/null
  fi
  COMPREPLY=($(compgen -P "$before" -W "$words" -- "\${current#"$before"}"))
}
complete -o default -F _svc svc
`;
}
