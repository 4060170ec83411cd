import { text } from 'node:stream/consumers';
import type { ReadStream } from 'node:tty';

const ENTER = new Set(['\r', '\n']);
const ERASE = new Set(['\u007f', '\b']);
const END = '\u0004';
const INTERRUPT = '\u0003';
const SIGINT_EXIT_CODE = 130;

/** Reads a password: from the terminal without showing it, or else the first line of standard input. */
export async function readPassword(prompt: string): Promise<string> {
  if (process.stdin.isTTY) return ask(process.stdin, prompt);
  return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? '';
}

function ask(terminal: ReadStream, prompt: string): Promise<string> {
  // Before the prompt, so that an answer that is typed at once is not shown.
  terminal.setRawMode(true);
  process.stderr.write(prompt);
  terminal.setEncoding('utf8');
  return new Promise((resolve) => {
    let typed = '';
    const done = (): void => {
      terminal.setRawMode(false);
      terminal.pause();
      terminal.off('data', take);
      process.stderr.write('\n');
    };
    const take = (input: string | Buffer): void => {
      for (const character of String(input)) {
        if (character === INTERRUPT) {
          done();
          process.exit(SIGINT_EXIT_CODE);
        }
        if (ENTER.has(character) || character === END) {
          done();
          resolve(typed);
          return;
        }
        typed = ERASE.has(character) ? typed.slice(0, -1) : typed + character;
      }
    };
    terminal.on('data', take);
    terminal.resume();
  });
}
