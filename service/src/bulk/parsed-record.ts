import type { Line } from './lines.ts';

/** A record as a parser reads it from a file. */
export interface ParsedRecord {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  /** The parsed value; undefined if there is a flaw. */
  readonly value: unknown;
  /** Why it cannot be parsed; null if it can. */
  readonly flaw: string | null;
}

/** Parses lines into records, lazily: read all records of one call before the next call. */
export interface RecordParser {
  readonly parse: (lines: readonly Line[]) => Iterable<ParsedRecord>;
  /** Call after the last line: returns the remaining records. */
  readonly end: () => Iterable<ParsedRecord>;
  /** The header row, once there is a record; empty for a format without one. */
  readonly header: () => string;
}
