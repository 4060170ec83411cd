import { SvcError } from '../errors.ts';
import type { Fetch } from '../http/fetch.ts';

/** A stream that is read, perhaps a terminal. */
export type Input = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** A stream that is written, perhaps a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** What the command line touches of the world around it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C, and when nobody reads our output any more. */
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly now: () => number;
  readonly fetch?: Fetch;
}

/** Ctrl-C, or a request to end. */
export class Interrupted extends Error {}

/** The reader of the output has gone, such as `head`: no failure. */
export class BrokenPipe extends Error {}

/** Why a stream that is written failed. */
export const outputError = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE'
    ? new BrokenPipe()
    : new SvcError(`The output cannot be written: ${error.message}`, { cause: error });

/** Writes text and waits until the stream takes more. Throws {@link BrokenPipe} when nobody reads it. */
export async function write(stream: Output, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(outputError(error));
    });
  });
}

/** C0 and C1 controls, and marks that turn the direction of text: what could make a terminal show something else. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text of others on one line of a terminal. */
export const sanitizeText = (text: string): string => text.replace(UNSAFE, ' ');

/** The same in JSON, which stays the same JSON. */
export const sanitizeJson = (json: string): string =>
  json.replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });

/** A line for people, on standard error. */
export const printMessage = (io: Io, message: string): Promise<void> =>
  write(io.stderr, `${sanitizeText(message)}\n`);
