import { RECORD_VALUES_MAX } from '../config/limits.ts';
import { jsonExcess } from '../http/json-body.ts';
import type { Line } from './lines.ts';
import type { ParsedRecord, RecordParser } from './parsed-record.ts';

const BLANK = /^[ \t\r]*$/;

/** Parses one JSON value per line. Skips blank lines. */
export const ndjsonParser = (): RecordParser => ({
  *parse(lines) {
    for (const line of lines) if (line.flaw !== null || !BLANK.test(line.text)) yield parseLine(line);
  },
  end: () => [],
  header: () => '',
});

function parseLine({ number, text, flaw }: Line): ParsedRecord {
  if (flaw !== null) return { line: number, text, value: undefined, flaw };
  const excess = jsonExcess(text, RECORD_VALUES_MAX);
  if (excess !== undefined) return { line: number, text, value: undefined, flaw: excess };
  try {
    const value: unknown = JSON.parse(text);
    return { line: number, text, value, flaw: null };
  } catch (error) {
    return { line: number, text, value: undefined, flaw: `is not JSON: ${(error as Error).message}` };
  }
}
