import type { Command } from '../command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** The shells whose completion script can be printed. */
export const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Readonly<
  Record<string, (commands: readonly Command[]) => string>
>;

export type Shell = keyof typeof SHELLS;
