export type AnyRecord = Readonly<Record<string, unknown>>;

/** Turns records into text, page by page. */
export interface RecordWriter {
  page(records: readonly AnyRecord[]): string;
  /** The text after the last page. */
  end(): string;
}

/** A value as one cell: empty for null, JSON for objects and arrays. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
