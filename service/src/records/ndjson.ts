import type { Entry, EntryParser } from './entry.ts';
import type { Line } from './lines.ts';

const BLANK = /^[ \t\r]*$/;

/** A JSON value a line; blank lines are skipped. */
export const ndjsonParser = (): EntryParser => ({
  parse: (lines) => lines.filter(({ text, flaw }) => flaw !== null || !BLANK.test(text)).map(parseLine),
  end: () => [],
});

function parseLine({ number, text, flaw }: Line): Entry {
  if (flaw !== null) return { line: number, text, value: undefined, flaw };
  try {
    const value: unknown = JSON.parse(text);
    return { line: number, text, value, flaw: null };
  } catch (error) {
    return { line: number, text, value: undefined, flaw: `is not JSON: ${(error as Error).message}` };
  }
}
