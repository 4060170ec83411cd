import type { Signal } from '../signal.ts';
import { untilAborted } from '../stoppable.ts';
import { type Input, Interrupted, type Io, write } from './io.ts';

const INTERRUPT = '\u0003';
const END = '\u0004';
const BACKSPACES: readonly string[] = ['\u007f', '\b'];
const LINE_ENDS: readonly string[] = ['\r', '\n', END];

/**
 * Reads a secret: from a terminal without echo, otherwise the first line of standard input. Throws {@link
 * Interrupted} on Ctrl-C, and the reason of the signal when that is aborted. `svcd` reads passwords with it too.
 */
export async function readSecret({ stdin, stderr, signal }: SecretInput, question: string): Promise<string> {
  // A character of several bytes may arrive in two chunks.
  stdin.setEncoding('utf8');
  if (stdin.isTTY !== true) return readLine(stdin, signal);
  // Raw mode starts before the question, so that a fast answer is not echoed.
  stdin.setRawMode?.(true);
  try {
    await write(stderr, question);
    return await readHidden(stdin, signal);
  } finally {
    stdin.setRawMode?.(false);
    await write(stderr, '\n');
  }
}

type SecretInput = Pick<Io, 'stdin' | 'stderr'> & Partial<Pick<Io, 'signal'>>;

/**
 * Asks on the terminal, and returns whether the answer is y or yes. Without a terminal, it asks nothing and returns true.
 * Throws the reason of the signal when that is aborted.
 */
export async function confirmed({ stdin, stderr, signal }: Io, question: string): Promise<boolean> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return true;
  await write(stderr, `${question} [y/N] `);
  stdin.setEncoding('utf8');
  return /^y(?:es)?$/i.test((await readLine(stdin, signal)).trim());
}

async function readHidden(stdin: Input, signal: Signal | undefined): Promise<string> {
  let typed = '';
  for await (const chunk of chunksOf(stdin, signal)) {
    for (const character of String(chunk)) {
      if (character === INTERRUPT) throw new Interrupted();
      if (LINE_ENDS.includes(character)) return typed;
      typed = BACKSPACES.includes(character) ? typed.slice(0, -1) : typed + character;
    }
  }
  return typed;
}

async function readLine(stdin: Input, signal: Signal | undefined): Promise<string> {
  let text = '';
  for await (const chunk of chunksOf(stdin, signal)) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

const chunksOf = (stdin: Input, signal: Signal | undefined): AsyncIterable<string | Buffer> =>
  signal === undefined ? stdin : untilAborted(stdin, signal);
