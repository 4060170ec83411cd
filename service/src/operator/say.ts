import { terminalText } from '../log/terminal-text.ts';

/** Words for people, on standard error: standard output is for logs and results. */
export const say = (text: string): void => {
  process.stderr.write(terminalText(`${text}\n`));
};
