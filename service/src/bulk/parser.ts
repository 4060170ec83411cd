import type { Columns, Line, ParsedRecord, RecordParser } from '@svc/csv-lines';
import { jsonExcess } from '@svc/http-content/json-excess';
import { repeatsName } from '@svc/http-content/json-names';
import { JSON_DEPTH_MAX, RECORD_VALUES_MAX } from '../config/limits.ts';

const BLANK = /^[ \t\r]*$/;

/** Parses one JSON value per line. Skips blank lines. */
export const ndjsonParser = (columns: Columns = new Map()): RecordParser => ({
  *parse(lines) {
    for (const line of lines) {
      if (line.flaw === null && BLANK.test(line.text)) continue;
      const parsed = parseLine(line);
      yield columns.size === 0 ? parsed : renamed(parsed, columns);
    }
  },
  end: () => [],
  header: () => '',
});

function parseLine({ number: line, text, flaw }: Line): ParsedRecord {
  const problem = flaw ?? jsonExcess(text, { values: RECORD_VALUES_MAX, depth: JSON_DEPTH_MAX });
  if (problem !== undefined) return { line, text, value: undefined, flaw: problem };
  try {
    const value: unknown = JSON.parse(text);
    if (repeatsName(text, value))
      return { line, text, value: undefined, flaw: 'has a name twice in one object' };
    return { line, text, value, flaw: null };
  } catch (error) {
    return { line, text, value: undefined, flaw: `is not JSON: ${(error as Error).message}` };
  }
}

function renamed(parsed: ParsedRecord, columns: Columns): ParsedRecord {
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return parsed;
  const entries = Object.entries(value).flatMap(([given, content]) => {
    const name = columns.get(given);
    return name === null ? [] : [[name ?? given, content] as const];
  });
  if (new Set(entries.map(([name]) => name)).size === entries.length)
    return { ...parsed, value: Object.fromEntries(entries) };
  return { ...parsed, value: undefined, flaw: 'has several values for one field' };
}
