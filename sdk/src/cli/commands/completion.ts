import type { Command } from '../command.ts';
import { positional, UsageError } from '../command.ts';
import { SHELLS, type Shell } from '../completion/shells.ts';
import { write } from '../io.ts';

/** `commands` returns all commands, including this one. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  path: ['completion'],
  summary: 'Print the completion script for a shell',
  positionals: [Object.keys(SHELLS).join('|')],
  completes: Object.keys(SHELLS),
  options: {},
  notes: [
    'bash: eval "$(svc completion bash)" in ~/.bashrc',
    'zsh: eval "$(svc completion zsh)" in ~/.zshrc, after compinit',
    'fish: svc completion fish > ~/.config/fish/completions/svc.fish',
  ],
  async run(invocation) {
    const name = positional(invocation, 0, 'The shell');
    if (!Object.hasOwn(SHELLS, name)) {
      throw new UsageError(`"${name}" is not one of ${Object.keys(SHELLS).join(', ')}.`);
    }
    await write(invocation.io.stdout, SHELLS[name as Shell](commands()));
  },
});
