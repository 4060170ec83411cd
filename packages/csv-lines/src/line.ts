/** A physical line of a file, without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Only the start of a line that is too long. Invalid UTF-8 is replaced. */
  readonly text: string;
  /** Why the line cannot be read. Null: it can. */
  readonly flaw: string | null;
}

/** Longer lines are refused. The most bytes of a line that are kept in memory. */
export const LINE_MAX_BYTES = 1024 * 1024;
