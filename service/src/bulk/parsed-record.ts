import type { Line } from './lines.ts';

/** One record of a file, or what stands where one should be. */
export interface Entry {
  /** Where it starts: a physical line, from 1. */
  readonly line: number;
  readonly text: string;
  /** The parsed value; undefined when there is a flaw. */
  readonly value: unknown;
  /** Why it is no record; null when it may be one. */
  readonly flaw: string | null;
}

/** Turns lines, some at a time, into entries. An entry is made when it is asked for: ask for all before the next lines. */
export interface EntryParser {
  readonly parse: (lines: readonly Line[]) => Iterable<Entry>;
  /** After the last line. */
  readonly end: () => Iterable<Entry>;
}
