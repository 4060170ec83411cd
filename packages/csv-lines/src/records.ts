import { type CompleteResource, type Field, requiredFields, writableFields } from '@svc/sdk/contract';
import { type Cell, type CsvRow, csvReader } from './csv.ts';
import type { Line } from './line.ts';

/** A record as a parser reads it from a file. */
export interface ParsedRecord {
  /** The physical line that it starts at, from 1. */
  readonly line: number;
  readonly text: string;
  /** The parsed value. Undefined: there is a flaw. */
  readonly value: unknown;
  /** Why it cannot be parsed. Null: it can. */
  readonly flaw: string | null;
}

/** Parses lines into records, lazily: read all records of one call before the next call. */
export interface RecordParser {
  readonly parse: (lines: readonly Line[]) => Iterable<ParsedRecord>;
  /** Call after the last line. Returns the remaining records. */
  readonly end: () => Iterable<ParsedRecord>;
  /** The header row, once there is a record. Empty for a format without one. */
  readonly header: () => string;
}

/** The fields for names of the file. Null: the column is left out. A name that is missing here is that of a field. */
export type Columns = ReadonlyMap<string, string | null>;

/** Throws an error with this message about the whole file. */
type Refuse = (message: string) => never;

/** Parses CSV with a header row of fields, in any order. Calls `refuse` before the first record if the header is wrong. */
export function csvParser(
  resource: CompleteResource,
  refuse: Refuse,
  mapping: Columns = new Map(),
): RecordParser {
  const reader = csvReader();
  let columns: readonly (Column | null)[] | undefined;
  let header = '';

  function* parsedRecords(rows: Iterable<CsvRow>): Generator<ParsedRecord> {
    for (const row of rows) {
      if (columns === undefined) {
        columns = columnsOf(resource, mapping, row, refuse);
        header = row.text;
      } else yield parsedRecord(columns, row);
    }
  }

  return {
    parse: (lines) => parsedRecords(reader.read(lines)),
    *end() {
      yield* parsedRecords(reader.end());
      if (columns === undefined) refuse('The file is empty: CSV needs a header row.');
    },
    header: () => header,
  };
}

function parsedRecord(
  columns: readonly (Column | null)[],
  { line, text, cells, flaw }: CsvRow,
): ParsedRecord {
  if (flaw !== null) return { line, text, value: undefined, flaw };
  if (cells.length !== columns.length) {
    const counts = `has ${cells.length} cells where the header has ${columns.length}`;
    return { line, text, value: undefined, flaw: counts };
  }
  const value: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    if (column === null) continue;
    const given = column.value(cells[i] ?? null);
    if (given !== undefined) value[column.name] = given;
  }
  return { line, text, value, flaw: null };
}

interface Column {
  readonly name: string;
  /** The value of a cell. Undefined: it has none. */
  readonly value: (cell: Cell) => unknown;
}

/** The columns of a header row. Null: it is left out. It is refused if a column is unknown, repeated or missing. */
function columnsOf(
  resource: CompleteResource,
  mapping: Columns,
  header: CsvRow,
  refuseFile: Refuse,
): readonly (Column | null)[] {
  const refuse = (problem: string): never => refuseFile(`The header row (line ${header.line}) ${problem}.`);
  if (header.flaw !== null) refuse(header.flaw);
  const fields = writableFields(resource, 'import');
  const required = requiredFields(resource, 'import');
  const known = `${resource.plural} have ${Object.keys(fields).join(', ')}`;
  const all = header.cells.map((cell) => {
    const name = mapping.get(cell ?? '');
    return name === undefined ? (cell ?? '') : name;
  });
  const names = all.filter((name) => name !== null);
  const unknown = names.filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) refuse(`has unknown columns: ${quoted(unknown)}; ${known}`);
  const doubled = names.filter((name, i) => names.indexOf(name) !== i);
  if (doubled.length > 0) refuse(`repeats columns: ${quoted(doubled)}`);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) refuse(`is missing columns: ${quoted(missing)}; ${known}`);
  return all.map((name) => {
    const field = name === null ? undefined : fields[name];
    if (name === null || field === undefined) return null;
    return { name, value: valueReader(field, required.includes(name)) };
  });
}

const NAME_MAX_CHARACTERS = 64;
const quoted = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name.slice(0, NAME_MAX_CHARACTERS))).join(', ');

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;

/**
 * An empty cell has no value. Where the field allows an empty text, an empty cell is that text if it is quoted or the
 * field is required. A cell of an integer field that is not an integer stays text: validation then says what is allowed.
 */
function valueReader(field: Field, required: boolean): Column['value'] {
  if (field.kind === 'integer')
    return (cell) => (INTEGER.test(cell ?? '') ? Number(cell) : cell || undefined);
  if (field.kind !== 'text' || field.min !== 0) return (cell) => cell || undefined;
  return required ? (cell) => cell ?? '' : (cell) => cell ?? undefined;
}
