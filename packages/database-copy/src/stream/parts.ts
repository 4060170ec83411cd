// The parts of a backup, in their order: details, then for each table its beginning, its rows and its end, then the end.

/** What the program that writes a backup says about it: JSON. */
export type Details = Readonly<Record<string, unknown>>;

export interface Partition {
  readonly name: string;
  /** The bounds, as text of the partition key's type. */
  readonly from: string;
  readonly to: string;
}

export interface TableStart {
  readonly name: string;
  /** The columns of each row, in their order. */
  readonly columns: readonly string[];
  /** Empty if the table has no partitions. */
  readonly partitions: readonly Partition[];
}

/** What the rows of a table add up to. */
export interface TableEnd {
  readonly rows: number;
  /** Of the text, before it is compressed. */
  readonly bytes: number;
  /** Of the text, hexadecimal. */
  readonly sha256: string;
}

/** What all tables add up to. */
export interface Totals {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
}

/** `rows` is text in the format of COPY, at most {@link ROWS_MAX_BYTES}. A row may continue in the next part. */
export type Part =
  | { readonly kind: 'details'; readonly value: Details }
  | { readonly kind: 'table'; readonly value: TableStart }
  | { readonly kind: 'rows'; readonly text: Buffer }
  | { readonly kind: 'table-end'; readonly value: TableEnd }
  | { readonly kind: 'end'; readonly value: Totals };

export const ROWS_MAX_BYTES = 1024 * 1024;
