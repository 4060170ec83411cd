import { SvcError } from '../errors.ts';
import type { Fetch } from '../http/fetch.ts';

/** An input stream, which may be a terminal. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** An output stream, which may be a terminal. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Whether a terminal shows colors, and NO_COLOR does not forbid them. */
  hasColors?(): boolean;
};

/** Everything outside the process that the command line uses. Tests pass their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C, by SIGTERM, and when the reader of standard output is gone. */
  readonly signal: AbortSignal;
  /** The time in milliseconds. */
  readonly now: () => number;
  readonly fetch?: Fetch;
}

/** The command was stopped by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {}

/** The reader of the output, such as `head`, has ended. This is not a failure. */
export class BrokenPipe extends Error {}

/** Converts the error of an output stream. */
export const outputError = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE'
    ? new BrokenPipe()
    : new SvcError(`The output cannot be written: ${error.message}`, { cause: error });

/** Writes text and waits until it is written. Throws {@link BrokenPipe} if the reader is gone. */
export async function write(stream: Output, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(outputError(error));
    });
  });
}

/**
 * C0 and C1 control characters, and marks that change the direction of text: they can change what a terminal shows.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces control characters by spaces, so that text from records and errors is safe on one line of a terminal. */
export const sanitizeText = (text: string): string => text.replace(UNSAFE, ' ');

/** Escapes control characters in JSON. The value of the JSON does not change. */
export const sanitizeJson = (json: string): string =>
  json.replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** Prints one line for people on standard error. */
export const printMessage = (io: Io, message: string): Promise<void> =>
  write(io.stderr, `${sanitizeText(message)}\n`);
